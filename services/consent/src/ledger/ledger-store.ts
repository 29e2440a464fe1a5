import type { Id, KeyMode } from '@notify/contracts'
import { cast, column, defineStatement, prepared, type Run } from '@notify/database'
import { type Selectable, sql } from 'kysely'
import { build, type Tables } from '../db/schema.ts'
import type { EntryRow } from './entry-details.ts'

/** The number whose consent it is. */
export interface Subject {
  tenantId: Id<'ten'>
  mode: KeyMode
  recipientIndex: string
}

export type ConsentRow = Selectable<Tables['consents']>

/** The clock of Postgres, which all replicas share; of a number it never goes back. */
const now = cast(column.timestamp(), sql`greatest(clock_timestamp(), consents.changed_at)`)

const lock = prepared('lock-consent', ({ tenantId, mode, recipientIndex }: Subject) =>
  build
    .insertInto('consents')
    .values({ tenant_id: tenantId, mode, recipient_index: recipientIndex })
    .onConflict((known) =>
      known
        .columns(['tenant_id', 'mode', 'recipient_index'])
        .doUpdateSet(({ ref }) => ({ sequence: ref('consents.sequence') })),
    )
    .returningAll()
    .returning(now.as('now')),
)

/** Locks the consent of a number until the transaction ends, so that changes of one number are sequential. */
export async function lockConsent(run: Run, subject: Subject): Promise<ConsentRow & { now: Date }> {
  const [row] = await run(lock(subject))
  return row!
}

/** The entries of a number. */
const entriesOf = ({ tenantId, mode, recipientIndex }: Subject) =>
  build
    .selectFrom('consent_entries')
    .where('tenant_id', '=', tenantId)
    .where('mode', '=', mode)
    .where('recipient_index', '=', recipientIndex)

/** The fields that identify an entry besides its id. */
interface Traits {
  evidenceIndex: string | null
  origin: string | null
}

/** Each look is by an index: a number may have 100,000 entries. */
const find = defineStatement({
  name: 'find-entry',
  text: `
    select
      exists (
        select from consent_entries where tenant_id = $1 and mode = $2 and recipient_index = $3 and evidence_index = $4
      ) or exists (
        select from erased_evidence where tenant_id = $1 and mode = $2 and recipient_index = $3 and evidence_index = $4
      ) as has_evidence,
      exists (
        select from consent_entries where tenant_id = $1 and mode = $2 and recipient_index = $3 and origin = $5
      ) as has_origin`,
  columns: { has_evidence: column.boolean(), has_origin: column.boolean() },
})

/** Whether the ledger holds or held an entry of this number with the evidence, or holds one of the message. Call it under the lock. */
export async function findEntries(run: Run, subject: Subject, { evidenceIndex, origin }: Traits) {
  const { tenantId, mode, recipientIndex } = subject
  const [row] = await run(find, [tenantId, mode, recipientIndex, evidenceIndex, origin])
  return { hasEvidence: row!.has_evidence, hasOrigin: row!.has_origin }
}

/** The current consent of a number; undefined when the ledger has no record of it. */
export async function findConsent(
  run: Run,
  { tenantId, mode, recipientIndex }: Subject,
): Promise<ConsentRow | undefined> {
  const [row] = await run(
    build
      .selectFrom('consents')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where('mode', '=', mode)
      .where('recipient_index', '=', recipientIndex)
      .where('sequence', '>', 0),
  )
  return row
}

const longestHistory = 1000

/** The latest entries of a number, newest first. */
export function listHistory(run: Run, subject: Subject): Promise<EntryRow[]> {
  return run(entriesOf(subject).selectAll().orderBy('sequence', 'desc').limit(longestHistory))
}

/** A page of a tenant's ledger, newest first. */
export function listEntries(
  run: Run,
  { tenantId, mode }: Omit<Subject, 'recipientIndex'>,
  { after, limit }: { after: Id<'optin'> | undefined; limit: number },
): Promise<EntryRow[]> {
  const all = build.selectFrom('consent_entries').selectAll().where('tenant_id', '=', tenantId).where('mode', '=', mode)
  const entries = after === undefined ? all : all.where('id', '<', after)
  return run(entries.orderBy('id', 'desc').limit(limit))
}
