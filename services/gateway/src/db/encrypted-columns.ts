import type { EncryptedColumn } from '@notify/database'
import { operatorColumns } from '../operators/operator-store.ts'

/** Every column that the key ring encrypts, with its AAD; `rotate-keys` re-encrypts them. */
export const encryptedColumns: readonly EncryptedColumn[] = [...operatorColumns]
