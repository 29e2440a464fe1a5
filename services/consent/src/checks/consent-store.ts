import type { ConsentAnswer, ConsentSubject } from '@notify/contracts'
import { defineStatement, pick, type Run } from '@notify/database'
import { tables } from '../db/schema.ts'

const read = defineStatement({
  name: 'read-consents',
  text: `
    select coalesce(c.status, 'none') as status, coalesce(c.marketing_stopped, false) as marketing_stopped, c.entry_id
    from unnest($1::text[], $2::text[], $3::text[]) with ordinality as wanted (tenant_id, mode, recipient_index, at)
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
    subjects.map(({ tenant_id }) => tenant_id),
    subjects.map(({ mode }) => mode),
    subjects.map(({ recipient_index }) => recipient_index),
  ])
}
