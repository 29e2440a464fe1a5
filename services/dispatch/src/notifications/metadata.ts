import type { KeyRing } from '@notify/privacy'
import type { Selectable } from 'kysely'
import type { Tables } from '../db/schema.ts'

type Metadata = Record<string, string>
type Row = Pick<Selectable<Tables['notifications']>, 'id' | 'tenant_id' | 'metadata' | 'sealed_metadata'>

/** Where a notification's metadata belongs: nothing else can read it, nor can it be taken for the payload of its row. */
export const metadataPlace = (tenantId: string, notificationId: string) =>
  `notifications.metadata|${tenantId}|${notificationId}`

/** Encrypts what callers attach to a notification: order numbers, names, whatever they know it by. */
export function sealMetadata(keyRing: KeyRing, metadata: Metadata, tenantId: string, notificationId: string): Buffer {
  return keyRing.encrypt(JSON.stringify(metadata), metadataPlace(tenantId, notificationId))
}

/** The metadata of a row; rows from before it was encrypted have it in the clear. */
export function readMetadata(keyRing: KeyRing, { id, tenant_id, metadata, sealed_metadata }: Row): Metadata | null {
  if (sealed_metadata === null) return metadata
  return JSON.parse(keyRing.decrypt(sealed_metadata, metadataPlace(tenant_id, id)))
}
