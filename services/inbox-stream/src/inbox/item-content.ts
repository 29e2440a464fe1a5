import { InAppPayload, type InboxNotification } from '@notify/contracts'
import type { KeyRing } from '@notify/privacy'
import type { z } from 'zod'

/** What a notification shows, as it is stored: encrypted. */
const ItemContent = InAppPayload.pick({ title: true, body: true, data: true })
export type ItemContent = z.output<typeof ItemContent>

/** AAD of an item's content. */
export const contentPlace = (tenantId: string, id: string) => `inbox_items|${tenantId}|${id}`

/** A notification's row, as far as it is shown. */
export interface ItemRow {
  id: string
  is_read: boolean
  content: Buffer
  created_at: Date
}

/** What a notification shows, encrypted for its row. */
export function sealContent(
  keyRing: KeyRing,
  tenantId: string,
  id: string,
  { title, body, data }: ItemContent,
): Buffer {
  return keyRing.encrypt(JSON.stringify({ title, body, data }), contentPlace(tenantId, id))
}

/** @throws Error when the content cannot be decrypted */
export function notificationOf(keyRing: KeyRing, tenantId: string, row: ItemRow): InboxNotification {
  const { id, is_read, content, created_at } = row
  const { title, body, data } = ItemContent.parse(JSON.parse(keyRing.decrypt(content, contentPlace(tenantId, id))))
  return { id: id as InboxNotification['id'], title, body, is_read, created_at: created_at.toISOString(), data }
}
