import { type HandOff, SealedText } from '@notify/contracts'
import { messagesOf, type OutboxMessage } from '@notify/database'
import { Problem } from '@notify/service-kit'
import type { ByHandOff } from '../../channels/channel.ts'

/** Bytes of one payload; base64 adds a third, and NATS takes 1 MiB with the events of the same message. */
const maxPayload = 500_000

/** What acceptance knows of a notification that is handed over. */
interface NewHandOff extends Pick<HandOff, 'lane' | 'channel'> {
  candidate: {
    notificationId: HandOff['notification_id']
    principal: Pick<HandOff, 'tenant_id' | 'application_id' | 'mode'>
    request: { event_key?: string | undefined }
    traceparent: string | null
  }
  payload: Buffer
  topic?: string | undefined
}

/** @throws Problem `validation_failed` for a payload that does not fit into an event */
export function requireFit(payload: string): void {
  if (Buffer.byteLength(payload) <= maxPayload) return
  throw new Problem('validation_failed', `The content to deliver has more than ${maxPayload} bytes`)
}

/**
 * SQL for the hand-off of a row of `notifications`: what {@link handOffMessages} makes of a new one.
 * @param after SQL for the hand-off that precedes it, where that matters
 */
export function handOffSql(after = 'null'): string {
  return `case when topic is null then ${objectSql(after)} else ${objectSql(after, `, 'topic', topic`)} end`
}

const objectSql = (after: string, more = '') =>
  `json_build_object('notification_id', id, 'retry_count', retry_count, 'tenant_id', tenant_id,
      'application_id', application_id, 'mode', mode, 'lane', lane, 'channel', channel, 'event_key', event_key,
      'created_at', created_at, 'after', ${after}, 'content', translate(encode(payload, 'base64'), E'\\n', '')${more})`

/** The messages that hand new notifications of one channel over. */
export function handOffMessages(
  { event }: ByHandOff,
  notifications: readonly NewHandOff[],
  createdAt: string,
): OutboxMessage[] {
  return messagesOf(
    event,
    notifications.map((one) => ({ event: handOffOf(one, createdAt), traceparent: one.candidate.traceparent })),
  )
}

function handOffOf({ candidate, channel, lane, payload, topic }: NewHandOff, createdAt: string): HandOff {
  const { notificationId, principal, request } = candidate
  return {
    notification_id: notificationId,
    retry_count: 0,
    tenant_id: principal.tenant_id,
    application_id: principal.application_id,
    mode: principal.mode,
    lane,
    channel,
    event_key: request.event_key ?? null,
    ...(topic !== undefined && { topic }),
    created_at: createdAt,
    after: null,
    content: SealedText.parse(payload.toString('base64')),
  }
}
