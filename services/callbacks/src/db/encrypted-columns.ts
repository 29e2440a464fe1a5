import type { EncryptedColumn } from '@notify/database'
import { credentialsPlace } from '../providers/account-directory.ts'

/** Every column that the key ring encrypts, and where its values belong: what `rotate-keys` goes through. */
export const encryptedColumns: readonly EncryptedColumn[] = [
  { table: 'providers', column: 'credentials', key: 'id', placedBy: ['tenant_id', 'id'], place: credentialsPlace },
  { table: 'providers', column: 'verify_token', key: 'id', placedBy: ['tenant_id', 'id'], place: credentialsPlace },
]
