import { pick } from '../columns.ts'
import type { Run } from '../open.ts'
import { sharedTables } from '../shared-tables.ts'
import { defineStatements } from '../statement.ts'

const columns = pick(sharedTables.outbox, 'id', 'subject', 'events', 'publications')

/** Bytes of events in a message: NATS takes 1 MiB with the headers. A larger one would be refused for ever, and delay others. */
const mostBytes = 1024 * 1024 - 1024

const claimSql = (condition: string) =>
  `select id, subject, events, publications from outbox
   where published_at is null and octet_length(events) <= ${mostBytes} ${condition} order by id limit $1 for update skip locked`

/** Needs an index on the unpublished messages of urgent subjects, because there may be many others. */
const claimUrgentSql = (subjects: string) =>
  `with urgent as (${claimSql(`and subject in (${subjects})`)}), others as (${claimSql(`and subject not in (${subjects})`)})
   select * from urgent union all select * from others`

/** By the urgent subjects, as SQL. */
const claim = defineStatements(
  (urgent: string) => ({
    name: urgent === '' ? 'claim-outbox' : 'claim-outbox-urgent',
    text: urgent === '' ? claimSql('') : claimUrgentSql(urgent),
    columns,
  }),
  '',
  `'consent.granted'`,
)

/** A message of the outbox that no relay has published yet. */
export type UnpublishedMessage = Awaited<ReturnType<typeof claimUnpublished>>[number]

/**
 * Locks the oldest unpublished messages until the transaction ends; those that another relay has locked are skipped.
 * @param limit of urgent messages, and of others
 * @param urgent subjects that come before all others
 */
export function claimUnpublished(run: Run, limit: number, urgent: readonly string[] = []) {
  return run(claim(urgent.map((subject) => `'${subject}'`).join(', ')), [limit])
}
