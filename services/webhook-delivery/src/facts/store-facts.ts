import { type NotificationFact, newId } from '@notify/contracts'
import type { Queries } from '@notify/database'
import type { BlindIndex, KeyRing } from '@notify/privacy'
import type { Config } from '../config.ts'
import type { NewDelivery, StoreDeliveries } from '../deliveries/insert-deliveries.ts'
import { bodyOf, eventTypeOf, factData, messageIdOf } from '../deliveries/message-body.ts'
import { sealBody } from '../deliveries/seal-body.ts'
import type { WebhookMetrics } from '../metrics.ts'
import type { Subscriber } from '../subscriptions/subscription-store.ts'
import { failedBefore, findEarly, turnOf } from './find-early.ts'

/** A fact with the caller's metadata in clear. */
export interface Opened {
  fact: NotificationFact
  metadata: Record<string, string> | null
  traceparent: string | undefined
}

export interface StoreFactsContext {
  config: Pick<Config, 'WEBHOOK_RETENTION' | 'WEBHOOK_ORDER_LIMIT'>
  db: Pick<Queries, 'run'>
  secrets: { keyRing: KeyRing; renewIndex: BlindIndex }
  metrics: Pick<WebhookMetrics, 'stored'>
  storeDeliveries: StoreDeliveries
}

const mostInStatement = 256

/**
 * Stores the deliveries of facts, each once.
 * @param late the facts that have waited for as long as any may
 * @returns the facts that follow an event which was not sent yet: some of their deliveries are missing
 */
export async function storeFacts(
  context: StoreFactsContext,
  facts: readonly Opened[],
  subscribers: readonly Subscriber[],
  late: ReadonlySet<NotificationFact> = new Set(),
): Promise<ReadonlySet<Opened>> {
  if (facts.length === 0) return new Set()
  const { config } = context
  const early = await findEarly(
    context.db.run,
    facts.map(({ fact }) => fact),
    (fact) => subscribersOf(fact, subscribers),
    { late, nowMs: Date.now(), retentionMs: config.WEBHOOK_RETENTION, orderLimitMs: config.WEBHOOK_ORDER_LIMIT },
  )
  const turns = facts.map((opened) => {
    const all = subscribersOf(opened.fact, subscribers)
    const round = failedBefore(opened.fact)
    const { notification_id } = opened.fact
    const due = round === undefined ? all : all.filter(({ id }) => !early.has(turnOf(notification_id, id, round)))
    return { opened, due, isEarly: due.length < all.length }
  })
  const deliveries = turns.flatMap(({ opened, due }) => deliveriesOf(context, opened, due))
  // A fact alone may have as many as its application has subscriptions.
  for (let at = 0; at < deliveries.length; at += mostInStatement) {
    const stored = await context.storeDeliveries(deliveries.slice(at, at + mostInStatement))
    context.metrics.stored('fact', stored.size)
  }
  return new Set(turns.flatMap(({ opened, isEarly }) => (isEarly ? [opened] : [])))
}

export function subscribersOf(fact: NotificationFact, subscribers: readonly Subscriber[]): Subscriber[] {
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
  { secrets }: Pick<StoreFactsContext, 'secrets'>,
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
