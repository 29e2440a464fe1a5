import type { EncryptedColumn } from '@notify/database'
import { contentAad } from '../inbox/item-content.ts'

/** Every column that the key ring encrypts, with its AAD; `rotate-keys` re-encrypts them. */
export const encryptedColumns: readonly EncryptedColumn[] = [
  // Before those that they move to.
  {
    table: 'waiting_items',
    column: 'content',
    key: 'notification_id',
    aadFrom: ['tenant_id', 'id'],
    aad: contentAad,
  },
  { table: 'inbox_items', column: 'content', key: 'id', aadFrom: ['tenant_id', 'id'], aad: contentAad },
]
