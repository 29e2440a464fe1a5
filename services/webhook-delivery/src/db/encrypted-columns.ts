import type { EncryptedColumn } from '@notify/database'
import { bodyPlace, responsePlace, secretPlace, targetPlace, urlPlace } from './places.ts'

const byRow = { key: 'id', placedBy: ['tenant_id', 'id'] } as const

/** Every column that the key ring encrypts, and where its values belong: what `rotate-keys` goes through. */
export const encryptedColumns: readonly EncryptedColumn[] = [
  { table: 'providers', column: 'secret', ...byRow, place: secretPlace },
  { table: 'providers', column: 'previous_secret', ...byRow, place: secretPlace },
  { table: 'subscriptions', column: 'url', ...byRow, place: urlPlace },
  { table: 'deliveries', column: 'url', ...byRow, place: targetPlace },
  { table: 'deliveries', column: 'body', ...byRow, place: bodyPlace },
  { table: 'attempts', column: 'response', key: 'id', placedBy: ['delivery_id'], place: responsePlace },
]
