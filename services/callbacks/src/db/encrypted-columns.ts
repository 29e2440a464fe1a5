import type { EncryptedColumn } from '@notify/database'
import { credentialsAad } from '../providers/account-directory.ts'

/** Every encrypted column with its AAD, for `rotate-keys`. */
export const encryptedColumns: readonly EncryptedColumn[] = [
  { table: 'providers', column: 'credentials', key: 'id', aadFrom: ['tenant_id', 'id'], aad: credentialsAad },
  { table: 'providers', column: 'verify_token', key: 'id', aadFrom: ['tenant_id', 'id'], aad: credentialsAad },
]
