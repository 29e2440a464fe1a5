import { type NotificationFact, newId } from '@notify/contracts'
import { readable } from '@notify/messaging'
import type { KeyRing } from '@notify/privacy'
import { coalesce } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { bodyAad, metadataAad } from '../db/places.ts'
import { insertDeliveries, type NewDelivery } from '../deliveries/delivery-store.ts'
import { bodyOf, eventTypeOf, factData, messageIdOf } from '../deliveries/message-body.ts'
import { findSubscribers, type Subscriber } from '../subscriptions/subscription-store.ts'

interface Opened {
  fact: NotificationFact
  metadata: Record<string, string> | null
  traceparent: string | undefined
}

/** Stores a delivery for each subscriber of a fact. The same fact may come several times. */
export type FanOut = (fact: NotificationFact, traceparent: string | undefined) => Promise<void>

export function createFanOut(context: Pick<Context, 'db' | 'secrets' | 'metrics' | 'wakeEndpoints'>): FanOut {
  const store = coalesce<Opened, undefined>({
    maxBatch: 256,
    maxInFlight: 2,
    minIntervalMs: 10,
    async run(facts) {
      const subscribers = await findSubscribers(
        context.db.run,
        facts.map(({ fact }) => fact),
      )
      const count = await insertDeliveries(
        context.db.run,
        facts.flatMap((opened) => deliveriesOf(context, opened, subscribers)),
      )
      context.metrics.stored('fact', count)
      if (count > 0) context.wakeEndpoints()
      return facts.map(() => undefined)
    },
  })
  return async (fact, traceparent) => {
    // What test keys send is shown to nobody but the sandbox.
    if (fact.mode !== 'live' || eventTypeOf(fact.status) === undefined) return
    // Decrypted outside the batch: an unreadable fact fails alone.
    await store({ fact, metadata: metadataOf(context.secrets.keyRing, fact), traceparent })
  }
}

/** The caller's metadata; only facts of final states hold it. @throws UnreadableError for an unknown key */
function metadataOf(keyRing: KeyRing, { metadata, tenant_id, notification_id }: NotificationFact) {
  if (!metadata) return null
  const place = metadataAad(tenant_id, notification_id)
  return readable('the metadata cannot be decrypted', () => {
    return JSON.parse(keyRing.decrypt(Buffer.from(metadata, 'base64'), place)) as Record<string, string>
  })
}

function deliveriesOf(
  { secrets }: Pick<Context, 'secrets'>,
  { fact, metadata, traceparent }: Opened,
  subscribers: readonly Subscriber[],
): NewDelivery[] {
  const { tenant_id, application_id, notification_id, retry_count } = fact
  const type = eventTypeOf(fact.status)!
  const isFor = (one: Subscriber) =>
    one.application_id === application_id &&
    one.tenant_id === tenant_id &&
    one.events.includes(type) &&
    Date.parse(fact.occurred_at) >= one.subscribed_ms
  return subscribers.filter(isFor).map(({ id: subscription_id }) => {
    const id = newId('whdel')
    const message = messageIdOf({ id, subscription_id, notification_id })
    const body = bodyOf({ id: message, type, application_id, data: factData(fact, metadata) })
    return {
      id,
      tenant_id,
      application_id,
      endpoint_id: subscription_id,
      subscription_id,
      notification_id,
      retry_count,
      event_type: type,
      provider_id: null,
      url: null,
      body: secrets.keyRing.encrypt(body, bodyAad(tenant_id, id)),
      traceparent: traceparent ?? null,
      recipient_index: fact.recipient_index,
    }
  })
}
