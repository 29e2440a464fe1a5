import type { EncryptedColumn } from '@notify/database'
import { requestAad } from '../messages/message-store.ts'
import { recipientAad } from '../transactions/transaction-store.ts'

/** Every column that the key ring encrypts, with its AAD; `rotate-keys` re-encrypts them. */
export const encryptedColumns: readonly EncryptedColumn[] = [
  { table: 'transactions', column: 'recipient', key: 'id', aadFrom: ['tenant_id', 'id'], aad: recipientAad },
  {
    table: 'messages',
    column: 'request',
    key: 'notification_id',
    aadFrom: ['tenant_id', 'notification_id'],
    aad: requestAad,
  },
]
