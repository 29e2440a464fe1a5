import type { EncryptedColumn } from '@notify/database'
import { bodyAad, responseAad, secretAad, targetAad, urlAad } from './aad.ts'

const byRow = { key: 'id', placedBy: ['tenant_id', 'id'] } as const

/** Every column that the key ring encrypts, with its AAD; `rotate-keys` re-encrypts them. */
export const encryptedColumns: readonly EncryptedColumn[] = [
  { table: 'providers', column: 'secret', ...byRow, place: secretAad },
  { table: 'providers', column: 'previous_secret', ...byRow, place: secretAad },
  { table: 'providers', column: 'older_secret', ...byRow, place: secretAad },
  { table: 'subscriptions', column: 'url', ...byRow, place: urlAad },
  { table: 'deliveries', column: 'url', ...byRow, place: targetAad },
  { table: 'deliveries', column: 'body', ...byRow, place: bodyAad },
  { table: 'attempts', column: 'response', key: 'id', placedBy: ['delivery_id'], place: responseAad },
]
