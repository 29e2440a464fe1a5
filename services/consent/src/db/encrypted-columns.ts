import type { EncryptedColumn } from '@notify/database'
import { detailsAad } from '../ledger/entry-details.ts'
import { phoneAad } from '../users/user-phone.ts'

/** Every column that the key ring encrypts, with its AAD; `rotate-keys` re-encrypts them. */
export const encryptedColumns: readonly EncryptedColumn[] = [
  { table: 'consent_entries', column: 'details', key: 'id', aadFrom: ['tenant_id', 'id'], aad: detailsAad },
  { table: 'users', column: 'phone', key: 'user_index', aadFrom: ['tenant_id', 'user_index'], aad: phoneAad },
]
