import type { Run, Statement } from '@notify/database'
import type { Selectable } from 'kysely'
import type { Tables } from '../db/schema.ts'
import type { EntryRow } from './entry-details.ts'

/** Whose consent it is. */
export interface Subject {
  tenantId: string
  mode: 'live' | 'test'
  recipientIndex: string
}

const valuesOf = ({ tenantId, mode, recipientIndex }: Subject) => [tenantId, mode, recipientIndex]

export type ConsentRow = Selectable<Tables['consents']>

const lock: Statement = {
  name: 'lock-consent',
  text: `
    insert into consents as known (tenant_id, mode, recipient_index) values ($1, $2, $3)
    on conflict (tenant_id, mode, recipient_index) do update set sequence = known.sequence
    returning *`,
}

/** Locks what holds for a number until the transaction ends: the changes of one number follow each other. */
export async function lockConsent(run: Run, subject: Subject): Promise<ConsentRow> {
  const [row] = await run<ConsentRow>(lock, valuesOf(subject))
  return row!
}

const find: Statement = {
  name: 'find-entry',
  text: `
    select coalesce(bool_or(evidence_index = $4), false) as "hasEvidence", coalesce(bool_or(origin = $5), false) as "hasOrigin"
    from consent_entries where tenant_id = $1 and mode = $2 and recipient_index = $3`,
}

/** Whether the ledger holds an entry of this number with the evidence, or of the message. Ask it under the lock. */
export async function findEntries(
  run: Run,
  subject: Subject,
  { evidenceIndex, origin }: { evidenceIndex: string | null; origin: string | null },
): Promise<{ hasEvidence: boolean; hasOrigin: boolean }> {
  const [row] = await run<{ hasEvidence: boolean; hasOrigin: boolean }>(find, [
    ...valuesOf(subject),
    evidenceIndex,
    origin,
  ])
  return row!
}

const append: Statement = {
  name: 'append-entry',
  text: `
    with entry as (
      insert into consent_entries (id, tenant_id, mode, recipient_index, sequence, action, source, status, evidence_index,
        origin, details, recorded_at)
      values ($4, $1, $2, $3, $5, $6, $7, $8, $9, $10, $11, date_trunc('milliseconds', clock_timestamp()))
      returning *
    ), changed as (
      update consents c
      set sequence = entry.sequence, status = entry.status, marketing_stopped = $12, changed_at = entry.recorded_at,
          entry_id = case when entry.action in ('opt_in', 'opt_out') then entry.id else c.entry_id end
      from entry where c.tenant_id = $1 and c.mode = $2 and c.recipient_index = $3
    )
    select * from entry`,
}

type NewEntry = Omit<EntryRow, 'tenant_id' | 'mode' | 'recipient_index' | 'recorded_at'> & { marketingStopped: boolean }

/** Appends an entry to the ledger and changes what holds for the number, under its lock. */
export async function appendEntry(run: Run, subject: Subject, entry: NewEntry): Promise<EntryRow> {
  const { id, sequence, action, source, status, evidence_index, origin, details, marketingStopped } = entry
  const values = [id, sequence, action, source, status, evidence_index, origin, details, marketingStopped]
  const [row] = await run<EntryRow>(append, [...valuesOf(subject), ...values])
  return row!
}

/** The current consent of a number; undefined when the ledger has no record of it. */
export async function findConsent(run: Run, subject: Subject): Promise<ConsentRow | undefined> {
  const [row] = await run<ConsentRow>(
    'select * from consents where tenant_id = $1 and mode = $2 and recipient_index = $3 and sequence > 0',
    valuesOf(subject),
  )
  return row
}

const longestHistory = 1000

/** The latest entries of a number, newest first. */
export function listHistory(run: Run, subject: Subject): Promise<EntryRow[]> {
  return run<EntryRow>(
    `select * from consent_entries where tenant_id = $1 and mode = $2 and recipient_index = $3
     order by sequence desc limit ${longestHistory}`,
    valuesOf(subject),
  )
}

/** A page of a tenant's ledger, newest first. */
export function listEntries(
  run: Run,
  { tenantId, mode }: Omit<Subject, 'recipientIndex'>,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<EntryRow[]> {
  return run<EntryRow>(
    `select * from consent_entries where tenant_id = $1 and mode = $2 ${after === undefined ? '' : 'and id < $4'}
     order by id desc limit $3`,
    [tenantId, mode, limit, ...(after === undefined ? [] : [after])],
  )
}
