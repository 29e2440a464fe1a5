import type { Receipt } from '@notify/contracts'
import { defineStatement, pick, type Queries } from '@notify/database'
import { tables } from '../../db/schema.ts'

/**
 * `offset 0` makes the plan look up each row alone. The provider distinguishes accounts. Messages with copies are excluded,
 * because such a receipt does not name its recipient.
 */
const find = defineStatement({
  name: 'find-correlation',
  text: `
    with lost as (
      select distinct provider_id, provider_message_id
      from json_to_recordset($1::json) as t (provider_id text, provider_message_id text)
    )
    select a.notification_id, a.id, a.provider_id, a.provider_message_id
    from lost cross join lateral (
      select * from attempts
      where hashtextextended(provider_id || ' ' || provider_message_id, 0)
          = hashtextextended(lost.provider_id || ' ' || lost.provider_message_id, 0)
        and provider_id = lost.provider_id and provider_message_id = lost.provider_message_id
        and not exists (select from copies where copies.notification_id = attempts.notification_id)
      offset 0
    ) as a`,
  columns: pick(tables.attempts, 'notification_id', 'id', 'provider_id', 'provider_message_id'),
})

type Lost = Pick<Receipt, 'provider_id' | 'provider_message_id'>

/** The attempts whose messages have these ids at the carriers. */
export function findCorrelations(db: Queries, lost: readonly Lost[]) {
  return db.run(find, [JSON.stringify(lost)])
}
