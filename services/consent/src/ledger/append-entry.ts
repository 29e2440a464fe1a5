import { defineStatement, type Run } from '@notify/database'
import { tables } from '../db/schema.ts'
import type { EntryRow } from './entry-details.ts'
import type { Subject } from './ledger-store.ts'
import type { Consent } from './next-consent.ts'

const append = defineStatement({
  name: 'append-entry',
  text: `
    with entry as (
      insert into consent_entries (id, tenant_id, mode, recipient_index, sequence, action, source, status, evidence_index,
        origin, details, recorded_at)
      values ($4, $1, $2, $3, $5, $6, $7, $8, $9, $10, $11, $12)
      returning *
    ), changed as (
      update consents c
      set sequence = entry.sequence, status = entry.status, marketing_stopped = $13, marketing_chosen_at = $14,
          agreed_at = $15, changed_at = entry.recorded_at,
          entry_id = case when (entry.action, entry.status) in (('opt_in', 'active'), ('opt_out', 'revoked')) then entry.id
            else c.entry_id end
      from entry where c.tenant_id = $1 and c.mode = $2 and c.recipient_index = $3
    )
    select * from entry`,
  columns: tables.consent_entries,
})

type NewEntry = Omit<EntryRow, 'tenant_id' | 'mode' | 'recipient_index' | 'status'> & {
  consent: Consent
}

/** Appends an entry to the ledger and updates the current consent of the number, under its lock. */
export async function appendEntry(run: Run, subject: Subject, entry: NewEntry): Promise<EntryRow> {
  const { id, sequence, action, source, evidence_index, origin, details, recorded_at, consent } = entry
  const { status, marketingStopped, marketingChosenAt, agreedAt } = consent
  const state = [marketingStopped, marketingChosenAt, agreedAt]
  const values = [id, sequence, action, source, status, evidence_index, origin, details, recorded_at, ...state]
  const [row] = await run(append, [subject.tenantId, subject.mode, subject.recipientIndex, ...values])
  return row!
}
