import type { InboxChange, StreamEvent, streamInbox } from '@notify/contracts'
import type { KeyRing } from '@notify/privacy'
import { notificationOf } from '../inbox/item-content.ts'

/** An event of an inbox, as Postgres keeps it and as replicas tell it to each other. */
export interface InboxEvent {
  seq: number
  kind: 'created' | InboxChange
  item_id: string | null
  unread_count: number
  /** Content of the notification, encrypted; null where there is none any more. */
  content: Buffer | null
  created_at: Date | null
}

/** An event as streams carry it. What was created and is deleted by now is told as deleted. */
export function streamEventOf(keyRing: KeyRing, tenantId: string, event: InboxEvent): StreamEvent<typeof streamInbox> {
  const { seq, kind, item_id, unread_count, content, created_at } = event
  const shown =
    item_id !== null && content !== null && created_at !== null
      ? notificationOf(keyRing, tenantId, { id: item_id, content, created_at, is_read: kind === 'read' })
      : null
  if (kind === 'created' && shown) {
    return { id: seq, event: 'notification.created', data: { notification: shown, unread_count } }
  }
  const change = shown || kind === 'read_all' ? (kind as InboxChange) : 'deleted'
  const notification_id = item_id as `inapp_${string}` | null
  return {
    id: seq,
    event: 'notification.updated',
    data: { change, notification_id, notification: shown, unread_count },
  }
}
