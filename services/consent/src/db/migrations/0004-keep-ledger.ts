import type { Migration } from '@notify/database'

/** Triggers for rows do not see a TRUNCATE. */
export const keepLedger: Migration = {
  name: '0004-keep-ledger',
  transaction: [
    `create trigger keep_consent_ledger before truncate on consent_entries
       for each statement execute function keep_consent_entries()`,
  ],
}
