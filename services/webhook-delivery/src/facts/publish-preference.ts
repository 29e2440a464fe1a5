import { createHash } from 'node:crypto'
import { earliestId, type Id, type TopicPreferenceChange, topicPreferenceChanged } from '@notify/contracts'
import { openEvent } from '@notify/messaging'
import type { Context } from '../context.ts'
import type { NewDelivery, StoreDeliveries } from '../deliveries/insert-deliveries.ts'
import { bodyOf, messageIdOf, preferenceType as type } from '../deliveries/message-body.ts'
import { sealBody } from '../deliveries/seal-body.ts'
import { findSubscribers, type Subscriber } from '../subscriptions/subscription-store.ts'
import type { Postpone } from './postponed/postpone.ts'

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** The same for the same change and subscription, so that a change that arrives again is stored once. It begins with the change's time. */
function deliveryIdOf(changeId: Id<'pref'>, subscriptionId: Id<'whsub'>): Id<'whdel'> {
  const bytes = createHash('sha256').update(`${changeId} ${subscriptionId}`).digest().subarray(0, 16)
  const time = changeId.slice('pref_'.length, 'pref_'.length + 10)
  return `whdel_${time}${[...bytes].map((byte) => alphabet[byte & 31]).join('')}`
}

interface Needs extends Context {
  storeDeliveries: StoreDeliveries
}

/** Stores a delivery of a changed preference for each subscriber, now or later. Idempotent. */
export async function publishPreference(
  context: Needs & { postpone: Postpone },
  change: TopicPreferenceChange,
  traceparent: string | undefined,
): Promise<void> {
  // What test keys change is shown to them alone.
  if (change.mode !== 'live') return
  const subscribers = await subscribersOf(context, change)
  if (subscribers.length <= mostNow) return store(context, change, traceparent, subscribers)
  const recipientIndex = context.secrets.renewIndex(change.tenant_id, change.recipient_index)
  const event = { of: 'preference', change, traceparent } as const
  await context.postpone([{ id: change.change_id, weight: subscribers.length, recipientIndex, event }])
}

/** Stores a delivery of a postponed change for each subscriber. Idempotent. */
export async function storePreference(
  context: Needs,
  change: TopicPreferenceChange,
  traceparent: string | undefined,
): Promise<void> {
  await store(context, change, traceparent, await subscribersOf(context, change))
}

/** Changes are stored one by one, several at the same time. */
const mostNow = 8

/** An import may tell of a choice made years ago, and an id has the time of a replica: one of both after the subscription is enough. */
async function subscribersOf({ db }: Context, change: TopicPreferenceChange): Promise<Subscriber[]> {
  const { change_id, occurred_at } = change
  return (await findSubscribers(db.run, [change])).filter(({ events, subscribed_ms }) => {
    const sinceMs = Math.floor(subscribed_ms)
    return events.includes(type) && (change_id >= earliestId('pref', sinceMs) || Date.parse(occurred_at) >= sinceMs)
  })
}

async function store(
  { secrets, metrics, storeDeliveries }: Needs,
  change: TopicPreferenceChange,
  traceparent: string | undefined,
  subscribers: readonly Subscriber[],
): Promise<void> {
  const { tenant_id, application_id, change_id, topic, channel, state, frequency, source } = change
  const recipient_index = secrets.renewIndex(tenant_id, change.recipient_index)
  const person = openEvent(secrets.keyRing, topicPreferenceChanged, change)
  const occurred_at = new Date(change.occurred_at).toISOString()
  const data = { change_id, ...person, topic, channel, state, ...(frequency && { frequency }), source, occurred_at }
  const deliveries = subscribers.map(({ id: subscription_id }): NewDelivery => {
    const id = deliveryIdOf(change_id, subscription_id)
    const body = bodyOf({ id: messageIdOf({ id, subscription_id, notification_id: null }), type, application_id, data })
    return {
      ...{ id, tenant_id, application_id, endpoint_id: subscription_id, subscription_id, notification_id: null },
      ...{ retry_count: 0, event_type: type, provider_id: null, url: null },
      ...sealBody(secrets.keyRing, { tenant_id, id }, body),
      ...{ traceparent: traceparent ?? null, recipient_index },
    }
  })
  metrics.stored('fact', (await storeDeliveries(deliveries)).size)
}
