import type { ServiceItem } from '@notify/contracts'
import { defineStatement, type Run } from '@notify/database'
import { hasExpired } from '../facts/expiry-sql.ts'

/** One that is being sent is not sent again. Those that wait end as after their own expiry. */
const expire = defineStatement({
  name: 'expire-replaced',
  text: `
    with input as (
      select * from json_to_recordset($1::json) as t (id text, application_id text, mode text, lane text)
    ), locked as (
      select n.id from notifications n join input using (id)
      where (n.application_id, n.mode, n.lane) = (input.application_id, input.mode, input.lane)
        and n.status in ('queued', 'scheduled') and not ${hasExpired('n')}
      order by n.id for no key update of n
    )
    update notifications n set expires_at = now() where n.id = any (array(select id from locked))`,
})

/** Expires what committed notifications replace. Repetitions change nothing. */
export async function expireReplaced(run: Run, committed: readonly ServiceItem[]): Promise<void> {
  const rows = committed.flatMap(({ replaces = [], application_id, mode, lane }) =>
    replaces.map((id) => ({ id, application_id, mode, lane })),
  )
  if (rows.length > 0) await run(expire, [JSON.stringify(rows)])
}
