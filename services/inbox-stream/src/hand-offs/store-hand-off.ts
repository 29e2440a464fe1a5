import { type HandOff, type HandOffReport, inboxCreated, inboxRequested, newId } from '@notify/contracts'
import { enqueueEvents, type Queries, type Run } from '@notify/database'
import { openEvent } from '@notify/messaging'
import type { BlindIndex, KeyRing } from '@notify/privacy'
import { coalesce } from '@notify/service-kit'
import { categoryIndexOf, inboxKeyOf } from '../inbox/inbox-key.ts'
import { sealContent } from '../inbox/item-content.ts'
import type { InboxMetrics } from '../metrics.ts'
import type { LiveBus } from '../streams/live-bus.ts'
import { findKnown } from './find-known.ts'
import type { HandedItem } from './handed-item.ts'
import { insertItems, type StoredItem } from './insert-items.ts'
import { keepWaiting } from './keep-waiting.ts'
import { lockInboxes } from './lock-inboxes.ts'
import { planOrder } from './plan-order.ts'
import { takeWaiting } from './take-waiting.ts'

const batch = { maxBatch: 256, maxInFlight: 2 }

interface HandOffContext {
  db: Queries
  secrets: { keyRing: KeyRing; blindIndex: BlindIndex }
  metrics: InboxMetrics
  live: LiveBus
  wakeOutbox(): void
}

/** Handles a hand-off of dispatch. Idempotent. */
export type StoreHandOff = (handOff: HandOff, traceparent: string | undefined) => Promise<void>

/** Stores hand-offs in inboxes, many in one transaction, and publishes them to open streams. */
export function createHandOffStore({ db, secrets, metrics, live, wakeOutbox }: HandOffContext): StoreHandOff {
  const { keyRing, blindIndex } = secrets
  const store = coalesce<HandedItem, undefined>({
    ...batch,
    async run(received) {
      const { ready, early, stored } = await db.transaction((run) => storeInOrder(run, received))
      const byId = new Map(ready.map((item) => [item.id, item]))
      live.publish(
        stored.map(({ id, created_at: at, ...row }) => {
          const { tenant_id, application_id, content } = byId.get(id)!
          const created_at = at.toISOString()
          return { ...row, tenant_id, application_id, kind: 'created', item_id: id, content, created_at }
        }),
      )
      metrics.stored({ received: received.length, fresh: stored.length, early: early.length })
      wakeOutbox()
      return received.map(() => undefined)
    },
  })
  return async (handOff, traceparent) => {
    const { tenant_id, application_id, mode, notification_id, after, retry_count } = handOff
    const { user_id, ...shown } = openEvent(keyRing, inboxRequested, handOff)
    const id = newId('inapp')
    const category = typeof shown.data.category === 'string' ? shown.data.category : undefined
    await store({
      id,
      notification_id,
      after,
      retry_count,
      tenant_id,
      application_id,
      inbox_key: inboxKeyOf(blindIndex, { tenant_id, application_id, mode, user_id }),
      category_index: category === undefined ? null : categoryIndexOf(blindIndex, tenant_id, category),
      content: sealContent(keyRing, tenant_id, id, shown),
      traceparent: traceparent ?? null,
    })
  }
}

interface Result {
  /** The ids that were ready; `stored` has a row for each that was new. */
  ready: HandedItem[]
  early: HandedItem[]
  stored: StoredItem[]
}

/** Stores the ready notifications, keeps the others until their predecessors come, and reports the stored ones. */
async function storeInOrder(run: Run, received: readonly HandedItem[]): Promise<Result> {
  await lockInboxes(run, received)
  const known = await findKnown(run, received)
  const plan = planOrder(received, known)
  const waited = new Set(known.waiting.map(({ notification_id }) => notification_id))
  const taken = await takeWaiting(
    run,
    plan.ready.filter((id) => waited.has(id)),
  )
  const items = new Map<string, HandedItem>([...taken, ...received].map((item) => [item.notification_id, item]))
  const ready = plan.ready.map((id) => items.get(id)!)
  const early = plan.early.map((id) => items.get(id)!)
  const stored = await insertItems(run, ready)
  await keepWaiting(run, early)
  // A repetition is reported again, because the first report may have been lost.
  const repeated = received.filter(({ notification_id }) => known.stored.has(notification_id))
  const reports = [...ready, ...repeated].map((item) => ({ event: reportOf(item), traceparent: item.traceparent }))
  await enqueueEvents(run, inboxCreated, reports)
  return { ready, early, stored }
}

function reportOf({ notification_id, retry_count }: HandedItem): HandOffReport {
  return { notification_id, retry_count, status: 'delivered', failure_reason: null, retryable: false }
}
