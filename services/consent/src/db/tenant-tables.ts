import { erasedEntry, sharedTablesStay, type TenantTables } from '@notify/database'
import { entryOrigin, entrySequence } from '../moving/merge-ledgers.ts'

/** What moves with a tenant to another cell, and what stays. */
export const tenantTables: TenantTables = {
  moved: [
    { table: 'consents' },
    {
      table: 'consent_entries',
      appendOnly: true,
      erased: erasedEntry,
      fitted: { sequence: entrySequence, origin: entryOrigin },
    },
    // Evidence that only this cell erased stays recognised.
    { table: 'erased_evidence', appendOnly: true },
    { table: 'users' },
    { table: 'waiting_changes' },
  ],
  stays: { ...sharedTablesStay, idempotency_keys: 'answers of this cell, encrypted for it' },
}
