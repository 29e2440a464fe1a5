import type { KeyRing } from '@notify/privacy'
import type { Selectable } from 'kysely'
import type { Tables } from '../db/schema.ts'

type Metadata = Record<string, string>
type Row = Pick<Selectable<Tables['notifications']>, 'id' | 'tenant_id' | 'metadata'>

/** Where a notification's metadata belongs: nothing else can read it, nor can it be taken for the payload of its row. */
export const metadataPlace = (tenantId: string, notificationId: string) =>
  `notifications.metadata|${tenantId}|${notificationId}`

/** Encrypts what callers attach to a notification: order numbers, names, whatever they know it by. */
export function sealMetadata(keyRing: KeyRing, metadata: Metadata, tenantId: string, notificationId: string): Buffer {
  return keyRing.encrypt(JSON.stringify(metadata), metadataPlace(tenantId, notificationId))
}

/** The metadata of a row. */
export function readMetadata(keyRing: KeyRing, { id, tenant_id, metadata }: Row): Metadata | null {
  return metadata && JSON.parse(keyRing.decrypt(metadata, metadataPlace(tenant_id, id)))
}
