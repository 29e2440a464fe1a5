import { type HandOff, type HandOffReport, inboxCreated, inboxRequested, newId } from '@notify/contracts'
import { enqueueEvents } from '@notify/database'
import { openEvent } from '@notify/messaging'
import { coalesce } from '@notify/service-kit'
import type { StoreContext } from '../context.ts'
import { categoryIndexOf, inboxKeyOf } from '../inbox/inbox-key.ts'
import { sealContent } from '../inbox/item-content.ts'
import { insertItems, type NewItem } from './item-store.ts'

const batch = { maxBatch: 256, maxInFlight: 2 }

interface Received {
  handOff: HandOff
  item: NewItem
}

/** Handles a notification that dispatch hands over; the same one may come several times. */
export type StoreHandOff = (handOff: HandOff, traceparent: string | undefined) => Promise<void>

/** Puts what was handed over into inboxes, many in one transaction, and tells open streams of it. */
export function createHandOffStore({ db, secrets, metrics, live, wakeOutbox }: StoreContext): StoreHandOff {
  const { keyRing, blindIndex } = secrets
  const store = coalesce<Received & { traceparent: string | undefined }, undefined>({
    ...batch,
    async run(received) {
      const items = new Map(received.map(({ item }) => [item.notification_id, item]))
      const stored = await db.transaction(async (run) => {
        const rows = await insertItems(run, [...items.values()])
        // Reported again for a repetition: the report may be what was lost.
        const reports = received.map(({ handOff, traceparent }) => ({ event: reportOf(handOff), traceparent }))
        await enqueueEvents(run, inboxCreated, reports)
        return rows
      })
      const byId = new Map([...items.values()].map((item) => [item.id, item]))
      live.publish(
        stored.map(({ id, created_at: at, ...row }) => {
          const { tenant_id, application_id, content } = byId.get(id)!
          const created_at = at.toISOString()
          return { ...row, tenant_id, application_id, kind: 'created', item_id: id, content, created_at }
        }),
      )
      metrics.stored(stored.length, received.length - stored.length)
      wakeOutbox()
      return received.map(() => undefined)
    },
  })
  return async (handOff, traceparent) => {
    const { tenant_id, application_id, mode, notification_id } = handOff
    const { user_id, ...shown } = openEvent(keyRing, inboxRequested, handOff)
    const id = newId('inapp')
    const category = typeof shown.data.category === 'string' ? shown.data.category : undefined
    const item: NewItem = {
      id,
      notification_id,
      tenant_id,
      application_id,
      inbox_key: inboxKeyOf(blindIndex, { tenant_id, application_id, mode, user_id }),
      category_index: category === undefined ? null : categoryIndexOf(blindIndex, tenant_id, category),
      content: sealContent(keyRing, tenant_id, id, shown),
    }
    await store({ handOff, item, traceparent })
  }
}

function reportOf({ notification_id, retry_count }: HandOff): HandOffReport {
  return { notification_id, retry_count, status: 'delivered', failure_reason: null, retryable: false }
}
