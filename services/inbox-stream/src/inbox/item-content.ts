import type { Id, InAppPayload, InboxNotification } from '@notify/contracts'
import type { KeyRing } from '@notify/privacy'

/** The content of a notification, stored encrypted. */
export type ItemContent = Pick<InAppPayload, 'title' | 'body' | 'data' | 'locale'>

/** The content as it is stored and shown: streams send it without parsing it. */
type Shown = Pick<InboxNotification, 'title' | 'body' | 'data' | 'locale'>

/** AAD of an item's content. */
export const contentAad = (tenantId: string, id: string) => `inbox_items|${tenantId}|${id}`

/** The shown part of a notification's row. */
export interface ItemRow {
  id: Id<'inapp'>
  is_read: boolean
  content: Buffer
  created_at: Date
}

/** Encrypts the content of a notification for its row. */
export function sealContent(
  keyRing: KeyRing,
  tenantId: string,
  id: string,
  { title, body, data, locale }: ItemContent,
): Buffer {
  const shown: Shown = { title, body, data, locale: locale ?? null }
  return keyRing.encrypt(JSON.stringify(shown), contentAad(tenantId, id))
}

/** @throws Error when the content cannot be decrypted */
export function notificationOf(keyRing: KeyRing, tenantId: string, row: ItemRow): InboxNotification {
  const { id, is_read, content, created_at } = row
  // Not validated again, because each event of a stream passes here: it was validated when stored, and decryption authenticates it.
  const shown = JSON.parse(keyRing.decrypt(content, contentAad(tenantId, id))) as Shown
  return { id: id as InboxNotification['id'], is_read, created_at: created_at.toISOString(), ...shown }
}
