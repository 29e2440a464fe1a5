import type { components } from '@notify/sdk'
import type { Tone } from '../../ui/badge.tsx'

export type Subscription = components['schemas']['WebhookSubscription']
export type DeliverySummary = components['schemas']['WebhookDeliverySummary']
export type Delivery = components['schemas']['WebhookDelivery']
export type Attempt = components['schemas']['WebhookAttempt']
export type EventType = Subscription['events'][number]

export const eventTypes: Record<EventType, string> = {
  'notification.delivered': 'A notification was delivered',
  'notification.failed': 'A notification failed, or was not delivered',
  'preference.changed': 'A person switched a topic on or off',
}

export const subscriptionStatuses: Record<Subscription['status'], { name: string; tone: Tone }> = {
  active: { name: 'Active', tone: 'good' },
  disabled: { name: 'Disabled', tone: 'quiet' },
}

export const disabledReasons: Record<NonNullable<Subscription['disabled_reason']>, string> = {
  operator: 'It was disabled by request.',
  gone: 'It was disabled because the receiver answered 410 Gone.',
  failing: 'It was disabled because every delivery has failed for days.',
}

export const deliveryStatuses: Record<DeliverySummary['status'], { name: string; tone: Tone }> = {
  pending: { name: 'Pending', tone: 'busy' },
  succeeded: { name: 'Succeeded', tone: 'good' },
  exhausted: { name: 'Exhausted', tone: 'bad' },
}

/** A short text for the receiver's last answer. */
export function lastAnswer({ last_status, last_error }: Pick<DeliverySummary, 'last_status' | 'last_error'>): string {
  if (last_status !== null) return String(last_status)
  return last_error ?? ''
}

/** @returns the id of the delivery in a `webhook-id` header, or the text unchanged */
export const deliveryIdOf = (text: string): string => text.replace(/^msg_/, 'whdel_')
