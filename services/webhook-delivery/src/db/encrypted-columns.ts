import type { EncryptedColumn } from '@notify/database'
import { bodyAad, fanOutAad, responseAad, secretAad, targetAad, urlAad } from './aad.ts'

const byRow = { key: 'id', aadFrom: ['tenant_id', 'id'] } as const

/** Every column that the key ring encrypts, with its AAD; `rotate-keys` re-encrypts them. */
export const encryptedColumns: readonly EncryptedColumn[] = [
  { table: 'providers', column: 'secret', ...byRow, aad: secretAad },
  { table: 'providers', column: 'previous_secret', ...byRow, aad: secretAad },
  { table: 'providers', column: 'older_secret', ...byRow, aad: secretAad },
  { table: 'subscriptions', column: 'url', ...byRow, aad: urlAad },
  { table: 'deliveries', column: 'url', ...byRow, aad: targetAad },
  { table: 'deliveries', column: 'body', ...byRow, aad: bodyAad },
  { table: 'fan_outs', column: 'event', ...byRow, aad: fanOutAad },
  { table: 'attempts', column: 'response', key: 'id', aadFrom: ['delivery_id'], aad: responseAad },
]
