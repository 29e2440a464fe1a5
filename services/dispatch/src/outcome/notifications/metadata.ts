import type { EncryptedColumn } from '@notify/database'
import type { KeyRing } from '@notify/privacy'
import type { Selectable } from 'kysely'
import type { Tables } from '../../db/schema.ts'

type Metadata = Record<string, string>
type Row = Pick<Selectable<Tables['notifications']>, 'id' | 'tenant_id' | 'metadata'>

/** The AAD of a notification's metadata; differs from that of its payload. */
const metadataAad = (tenantId: string, notificationId: string) => `notifications.metadata|${tenantId}|${notificationId}`

export const metadataColumn: EncryptedColumn = {
  table: 'notifications',
  column: 'metadata',
  key: 'id',
  aadFrom: ['tenant_id', 'id'],
  aad: metadataAad,
}

/** Encrypts the metadata of a notification. */
export function sealMetadata(keyRing: KeyRing, metadata: Metadata, tenantId: string, notificationId: string): Buffer {
  return keyRing.encrypt(JSON.stringify(metadata), metadataAad(tenantId, notificationId))
}

/** Decrypts the metadata of a row. */
export function readMetadata(keyRing: KeyRing, { id, tenant_id, metadata }: Row): Metadata | null {
  return metadata && JSON.parse(keyRing.decrypt(metadata, metadataAad(tenant_id, id)))
}
