import type { ConsentAnswer, ConsentSubject } from '@notify/contracts'
import { defineStatement, pick, type Run } from '@notify/database'
import { tables } from '../db/schema.ts'

const read = defineStatement({
  name: 'read-consents',
  text: `
    select coalesce(c.status, 'none') as status, coalesce(c.marketing_stopped, false) as marketing_stopped, c.entry_id
    from rows from (json_to_recordset($1::json) as (tenant_id text, mode text, recipient_index text))
      with ordinality as wanted (tenant_id, mode, recipient_index, at)
    left join lateral (
      select * from consents c
      where c.tenant_id = wanted.tenant_id and c.mode = wanted.mode and c.recipient_index = wanted.recipient_index
      limit 1
    ) c on true
    order by wanted.at`,
  columns: pick(tables.consents, 'status', 'marketing_stopped', 'entry_id'),
})

/** The current consent of each of these numbers, in their order. */
export function readConsents(run: Run, subjects: readonly ConsentSubject[]): Promise<ConsentAnswer[]> {
  return run(read, [
    JSON.stringify(subjects.map(({ tenant_id, mode, recipient_index }) => ({ tenant_id, mode, recipient_index }))),
  ])
}
