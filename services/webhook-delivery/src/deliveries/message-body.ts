import type { NotificationFact, WebhookEventType } from '@notify/contracts'
import type { DeliveryRow } from './delivery-store.ts'

/**
 * What receivers tell repetitions by: the same over retries. A notification that an operator retries keeps it too, since its
 * receiver may have had the first one.
 */
export function messageIdOf({
  id,
  subscription_id,
  notification_id,
}: Pick<DeliveryRow, 'id' | 'subscription_id' | 'notification_id'>): string {
  const of = subscription_id === null && notification_id !== null ? notification_id : id
  return `msg_${of.slice(of.indexOf('_') + 1)}`
}

interface Envelope {
  id: string
  type: string
  application_id: string
  data: Record<string, unknown>
}

/** The body of a request, signed and sent as it is written here. */
export function bodyOf({ id, type, application_id, data }: Envelope): string {
  return JSON.stringify({ id, type, created_at: new Date().toISOString(), application_id, data })
}

/** The type of event that a fact is for subscribers; `undefined` for states that nobody subscribes to. */
export function eventTypeOf(status: NotificationFact['status']): WebhookEventType | undefined {
  if (status === 'delivered') return 'notification.delivered'
  return status === 'failed' || status === 'undelivered' ? 'notification.failed' : undefined
}

/** What subscribers learn of a notification: masked, as in activity. */
export function factData(fact: NotificationFact, metadata: Record<string, string> | null): Record<string, unknown> {
  const { notification_id, channel, event_key, status, failure_reason, recipient_masked } = fact
  const occurred_at = new Date(fact.occurred_at).toISOString()
  return { notification_id, channel, event_key, status, failure_reason, recipient_masked, occurred_at, metadata }
}
