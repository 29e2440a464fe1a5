import { pick } from '../columns.ts'
import type { Run } from '../open.ts'
import { sharedTables } from '../shared-tables.ts'
import { defineStatements } from '../statement.ts'

const columns = pick(sharedTables.outbox, 'id', 'subject', 'events', 'publications')

/** Bytes of events in a message: NATS takes 1 MiB with the headers. A larger one would be refused for ever, and delay others. */
export const mostBytes = 1024 * 1024 - 1024

/** Some transactions commit this much later than they gave an id. */
const lateBy = `interval '10 seconds'`

/** Through the index of unpublished messages, in which a `pg_dump` keeps those that have been published since it began. */
const claimSql = (condition: string) =>
  `select id, subject, events, publications from outbox
   where published_at is null and id >= (select least($2::uuid, uuidv7(-${lateBy})))
     and octet_length(events) <= ${mostBytes} ${condition} order by id limit $1 for update skip locked`

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

interface ClaimOptions {
  /** Of urgent messages, and of others. */
  limit: number
  /** Id of the oldest message that may be unpublished; null: only those of the last seconds may be. */
  since: string | null
  /** Subjects that come before all others. */
  urgent?: readonly string[] | undefined
}

/**
 * Locks the oldest unpublished messages until the transaction ends; those that another relay has locked are skipped.
 */
export function claimUnpublished(run: Run, { limit, since, urgent = [] }: ClaimOptions) {
  return run(claim(urgent.map((subject) => `'${subject}'`).join(', ')), [limit, since])
}
