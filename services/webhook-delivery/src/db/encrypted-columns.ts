import type { EncryptedColumn } from '@notify/database'
import { bodyPlace, secretPlace, targetPlace, urlPlace } from './places.ts'

const byRow = { key: 'id', placedBy: ['tenant_id', 'id'] } as const

/**
 * Every lasting column that the key ring encrypts: what `rotate-keys` goes through. Excerpts of responses are left to expire
 * with their deliveries.
 */
export const encryptedColumns: readonly EncryptedColumn[] = [
  { table: 'providers', column: 'secret', ...byRow, place: secretPlace },
  { table: 'providers', column: 'previous_secret', ...byRow, place: secretPlace },
  { table: 'subscriptions', column: 'url', ...byRow, place: urlPlace },
  { table: 'deliveries', column: 'url', ...byRow, place: targetPlace },
  { table: 'deliveries', column: 'body', ...byRow, place: bodyPlace },
]
