import type { NotificationFact, WebhookEventType } from '@notify/contracts'
import type { DeliveryRow } from './delivery-store.ts'

/**
 * The id by which receivers recognise repetitions. It stays the same over retries, also over those by an operator: the
 * receiver may have taken the first request.
 */
export function messageIdOf({
  id,
  subscription_id,
  notification_id,
}: Pick<DeliveryRow, 'id' | 'subscription_id' | 'notification_id'>): string {
  const of = subscription_id === null && notification_id !== null ? notification_id : id
  return `msg_${of.slice(of.indexOf('_') + 1)}`
}

/** The type of the event whose data name a person. */
export const preferenceType = 'preference.changed' satisfies WebhookEventType

/** The type of the event that tries a receiver. Its failures say nothing of the endpoint's health: they disable nothing. */
export const testType = 'webhook.test'

const userAgent = 'Notification-Service-Webhooks/1.0'

/** The headers of a request that all attempts have alike, beside the id. */
export const lastingHeaders = ({ traceparent }: Pick<DeliveryRow, 'traceparent'>): Record<string, string> => ({
  'content-type': 'application/json',
  'user-agent': userAgent,
  ...(traceparent ? { traceparent } : {}),
})

interface Envelope {
  id: string
  type: string
  application_id: string
  data: Record<string, unknown>
}

/** The body of a request. It is stored, signed and sent byte for byte. */
export function bodyOf({ id, type, application_id, data }: Envelope): string {
  return JSON.stringify({ id, type, created_at: new Date().toISOString(), application_id, data })
}

/** The type of event for subscribers; `undefined` for states without one. */
export function eventTypeOf(status: NotificationFact['status']): WebhookEventType | undefined {
  if (status === 'delivered') return 'notification.delivered'
  return status === 'failed' || status === 'undelivered' ? 'notification.failed' : undefined
}

/** The data of an event, with the recipient masked as in activity. */
export function factData(fact: NotificationFact, metadata: Record<string, string> | null): Record<string, unknown> {
  const { notification_id, channel, event_key, status, failure_reason, recipient_masked } = fact
  const occurred_at = new Date(fact.occurred_at).toISOString()
  return { notification_id, channel, event_key, status, failure_reason, recipient_masked, occurred_at, metadata }
}
