import { type NotificationFact, newId } from '@notify/contracts'
import type { Queries } from '@notify/database'
import { readable } from '@notify/messaging'
import type { BlindIndex, KeyRing } from '@notify/privacy'
import { coalesce } from '@notify/service-kit'
import type { Config } from '../config.ts'
import { metadataAad } from '../db/aad.ts'
import type { NewDelivery, StoreDeliveries } from '../deliveries/insert-deliveries.ts'
import { bodyOf, eventTypeOf, factData, messageIdOf } from '../deliveries/message-body.ts'
import { sealBody } from '../deliveries/seal-body.ts'
import type { WebhookMetrics } from '../metrics.ts'
import { findSubscribers, type Subscriber } from '../subscriptions/subscription-store.ts'
import { EarlyEvent, failedBefore, findEarly, turnOf } from './find-early.ts'

interface Opened {
  fact: NotificationFact
  metadata: Record<string, string> | null
  traceparent: string | undefined
}

/** Stores a delivery for each subscriber of a fact. Idempotent. */
export type FanOut = (fact: NotificationFact, traceparent: string | undefined) => Promise<void>

interface FanOutContext {
  config: Pick<Config, 'WEBHOOK_RETENTION' | 'WEBHOOK_ORDER_LIMIT'>
  db: Pick<Queries, 'run'>
  secrets: { keyRing: KeyRing; renewIndex: BlindIndex }
  metrics: Pick<WebhookMetrics, 'stored'>
  storeDeliveries: StoreDeliveries
}

export function createFanOut(context: FanOutContext): FanOut {
  const { config } = context
  const store = coalesce<Opened, undefined>({
    maxBatch: 256,
    maxInFlight: 2,
    minIntervalMs: 5,
    async run(facts) {
      const subscribers = await findSubscribers(
        context.db.run,
        facts.map(({ fact }) => fact),
      )
      const early = await findEarly(
        context.db.run,
        facts.map(({ fact }) => fact),
        (fact) => subscribersOf(fact, subscribers),
        { nowMs: Date.now(), retentionMs: config.WEBHOOK_RETENTION, orderLimitMs: config.WEBHOOK_ORDER_LIMIT },
      )
      const turns = facts.map((opened) => {
        const all = subscribersOf(opened.fact, subscribers)
        const round = failedBefore(opened.fact)
        const { notification_id } = opened.fact
        const due = round === undefined ? all : all.filter(({ id }) => !early.has(turnOf(notification_id, id, round)))
        return { opened, due, isEarly: due.length < all.length }
      })
      const stored = await context.storeDeliveries(
        turns.flatMap(({ opened, due }) => deliveriesOf(context, opened, due)),
      )
      context.metrics.stored('fact', stored.size)
      return turns.map(({ isEarly }) => (isEarly ? new EarlyEvent('the event before it was not sent yet') : undefined))
    },
  })
  return async (fact, traceparent) => {
    // Messages of test keys are shown in the sandbox only.
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

function subscribersOf(fact: NotificationFact, subscribers: readonly Subscriber[]): Subscriber[] {
  const type = eventTypeOf(fact.status)!
  return subscribers.filter(
    (one) =>
      one.application_id === fact.application_id &&
      one.tenant_id === fact.tenant_id &&
      one.events.includes(type) &&
      Date.parse(fact.occurred_at) >= one.subscribed_ms,
  )
}

function deliveriesOf(
  { secrets }: Pick<FanOutContext, 'secrets'>,
  { fact, metadata, traceparent }: Opened,
  subscribers: readonly Subscriber[],
): NewDelivery[] {
  const { tenant_id, application_id, notification_id, retry_count } = fact
  const type = eventTypeOf(fact.status)!
  return subscribers.map(({ id: subscription_id }) => {
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
      ...sealBody(secrets.keyRing, { tenant_id, id }, body),
      traceparent: traceparent ?? null,
      recipient_index: secrets.renewIndex(tenant_id, fact.recipient_index),
    }
  })
}
