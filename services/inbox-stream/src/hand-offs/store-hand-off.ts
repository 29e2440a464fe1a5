import { type HandOff, inboxRequested, newId } from '@notify/contracts'
import type { Queries } from '@notify/database'
import { openEvent } from '@notify/messaging'
import type { BlindIndex, KeyRing } from '@notify/privacy'
import { type AskWish, coalesce } from '@notify/service-kit'
import { categoryIndexOf, inboxKeyOf } from '../inbox/inbox-key.ts'
import { sealContent } from '../inbox/item-content.ts'
import type { InboxMetrics } from '../metrics.ts'
import type { LiveBus } from '../streams/live-bus.ts'
import type { HandedItem } from './handed-item.ts'
import { mostBatchBytes, storeInOrder } from './store-in-order.ts'
import { createWishes } from './wishes.ts'

const batch = {
  ...{ maxBatch: 256, maxInFlight: 2 },
  weight: { of: ({ content }: HandedItem) => content.length, max: mostBatchBytes },
}

interface HandOffContext {
  db: Queries
  secrets: { keyRing: KeyRing; blindIndex: BlindIndex }
  metrics: InboxMetrics
  live: LiveBus
  askWish: AskWish
  wakeOutbox(): void
}

/** Handles a hand-off of dispatch. Idempotent. */
export type StoreHandOff = (handOff: HandOff, traceparent: string | undefined) => Promise<void>

/**
 * Stores hand-offs in inboxes, many in one transaction, and publishes them to open streams. Those with a topic have batches of
 * their own, so that the others do not wait for what dispatch answers about them.
 */
export function createHandOffStore(context: HandOffContext): StoreHandOff {
  const { keyRing, blindIndex } = context.secrets
  const run = (received: readonly HandedItem[]) => storeBatch(context, received)
  const [store, judgeAndStore] = [
    coalesce<HandedItem, undefined>({ ...batch, run }),
    coalesce<HandedItem, undefined>({ ...batch, run }),
  ]
  return async (handOff, traceparent) => {
    const { tenant_id, application_id, mode, notification_id, after, topic = null, retry_count } = handOff
    const { user_id, ...shown } = openEvent(keyRing, inboxRequested, handOff)
    const id = newId('inapp')
    const category = typeof shown.data.category === 'string' ? shown.data.category : undefined
    await (topic === null ? store : judgeAndStore)({
      ...{ id, notification_id, after, topic, retry_count },
      tenant_id,
      application_id,
      inbox_key: inboxKeyOf(blindIndex, { tenant_id, application_id, mode, user_id }),
      category_index: category === undefined ? null : categoryIndexOf(blindIndex, tenant_id, category),
      content: sealContent(keyRing, tenant_id, id, shown),
      traceparent: traceparent ?? null,
    })
  }
}

/** @returns why a hand-off was not taken: dispatch does not answer whether its recipient still wants it */
async function storeBatch(
  { db, metrics, live, askWish, wakeOutbox }: HandOffContext,
  received: readonly HandedItem[],
): Promise<(Error | undefined)[]> {
  const wishes = createWishes(askWish)
  await wishes.ask(received)
  const inboxes = received.filter((item) => !wishes.faultOf(item))
  let given = inboxes
  // Again for notifications that waited: for those that the batch had no room for, and those with a topic, to be judged now.
  for (let isLeft = inboxes.length > 0; isLeft; given = []) {
    const { wanted, stored, cancelled, early, held, behind } = await db.transaction((run) =>
      storeInOrder(run, { received: given, inboxes, wishes }),
    )
    const byId = new Map(wanted.map((item) => [item.id, item]))
    live.publish(
      stored.map(({ id, created_at: at, ...row }) => {
        const { tenant_id, application_id, content } = byId.get(id)!
        const created_at = at.toISOString()
        return { ...row, tenant_id, application_id, kind: 'created', item_id: id, content, created_at }
      }),
    )
    const counts = { fresh: stored.length, cancelled: cancelled.length, early: early.length }
    metrics.stored({ received: given.length, ...counts })
    wakeOutbox()
    // About those behind as well: else each would take a call and a transaction of its own.
    if (held.some(wishes.faultOf)) await wishes.ask([...held, ...behind])
    isLeft = held.some((item) => !wishes.faultOf(item))
  }
  return received.map((item) => wishes.faultOf(item))
}
