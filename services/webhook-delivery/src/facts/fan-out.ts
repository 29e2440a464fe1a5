import { type NotificationFact, newId } from '@notify/contracts'
import { coalesce } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { bodyPlace } from '../db/places.ts'
import { insertDeliveries, type NewDelivery } from '../deliveries/delivery-store.ts'
import { bodyOf, eventTypeOf, factData, messageIdOf } from '../deliveries/message-body.ts'
import { findSubscribers, type Subscriber } from '../subscriptions/subscription-store.ts'

/** Stores a delivery for each subscriber of a fact. The same fact may come several times. */
export type FanOut = (fact: NotificationFact) => Promise<void>

export function createFanOut(context: Pick<Context, 'db' | 'secrets' | 'metrics' | 'wakeEndpoints'>): FanOut {
  const store = coalesce<NotificationFact, undefined>({
    maxBatch: 256,
    maxInFlight: 2,
    minIntervalMs: 10,
    async run(facts) {
      const subscribers = await findSubscribers(context.db.run, facts)
      const count = await insertDeliveries(
        context.db.run,
        facts.flatMap((fact) => deliveriesOf(context, fact, subscribers)),
      )
      context.metrics.stored('fact', count)
      if (count > 0) context.wakeEndpoints()
      return facts.map(() => undefined)
    },
  })
  return async (fact) => {
    // What test keys send is shown to nobody but the sandbox.
    if (fact.mode === 'live' && eventTypeOf(fact.status) !== undefined) await store(fact)
  }
}

function deliveriesOf(
  { secrets }: Pick<Context, 'secrets'>,
  fact: NotificationFact,
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
    const body = bodyOf({ id: message, type, application_id, data: factData(fact, null) })
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
      body: secrets.keyRing.encrypt(body, bodyPlace(tenant_id, id)),
      traceparent: null,
    }
  })
}
