import type { EncryptedColumn } from '@notify/database'
import { credentialsAad } from '../providers/account-directory.ts'

/** Every encrypted column with its AAD, for `rotate-keys`. */
export const encryptedColumns: readonly EncryptedColumn[] = [
  { table: 'providers', column: 'credentials', key: 'id', placedBy: ['tenant_id', 'id'], place: credentialsAad },
  { table: 'providers', column: 'verify_token', key: 'id', placedBy: ['tenant_id', 'id'], place: credentialsAad },
]
