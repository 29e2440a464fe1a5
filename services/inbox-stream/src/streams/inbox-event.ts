import type { InboxChange } from '@notify/contracts'
import type { KeyRing } from '@notify/privacy'
import { type EncodedEvent, encodeJsonEvent } from '@notify/service-kit'
import { contentAad } from '../inbox/item-content.ts'

/** An event of an inbox, as Postgres stores it and as replicas send it to each other. */
export interface InboxEvent {
  seq: number
  kind: 'created' | InboxChange
  item_id: string | null
  unread_count: number
  /** Content of the notification, encrypted; null if it was deleted. */
  content: Buffer | null
  created_at: string | null
}

/**
 * An event as streams carry it (contract `streamInbox`). A notification that was deleted after its creation is reported as deleted.
 * @throws Error when the content cannot be decrypted
 */
export function encodeInboxEvent(keyRing: KeyRing, tenantId: string, event: InboxEvent): EncodedEvent {
  const { seq, kind, item_id, unread_count } = event
  const shown = notificationJson(keyRing, tenantId, event)
  const end = `,"unread_count":${unread_count}}`
  if (kind === 'created' && shown) {
    return encodeJsonEvent({ id: seq, event: 'notification.created' }, [`{"notification":`, ...shown, end])
  }
  const change = shown || kind === 'read_all' ? kind : 'deleted'
  const start = `{"change":"${change}","notification_id":${JSON.stringify(item_id)},"notification":`
  return encodeJsonEvent({ id: seq, event: 'notification.updated' }, [start, ...(shown ?? ['null']), end])
}

/** The JSON of a notification, in pieces: its content is stored as JSON and inserted without being parsed. */
function notificationJson(keyRing: KeyRing, tenantId: string, event: InboxEvent): [string, Buffer] | undefined {
  const { kind, item_id, content, created_at } = event
  if (item_id === null || content === null || created_at === null) return undefined
  const shown = keyRing.decryptBytes(content, contentAad(tenantId, item_id))
  const start = `{"id":"${item_id}","is_read":${kind === 'read'},"created_at":"${created_at}",`
  // The content's members follow ours, so its opening brace is removed.
  return [start, shown.subarray(1)]
}
