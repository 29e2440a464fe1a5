import { type HandOff, webhookReported, webhookRequested } from '@notify/contracts'
import { enqueueEvents, type Queries } from '@notify/database'
import { openEvent } from '@notify/messaging'
import { coalesce } from '@notify/service-kit'
import type { StoreDeliveries } from '../deliveries/insert-deliveries.ts'
import type { WebhookMetrics } from '../metrics.ts'
import { chooseProviders } from '../providers/provider-store.ts'
import { type DeliveryContext, deliveryOf, type OpenedHandOff } from './delivery-of.ts'
import { findHandOffs, reportOf } from './hand-off-store.ts'
import type { Unreported } from './report-sent.ts'

/** Stores a hand-off of dispatch once; a repetition reports its state. */
export type StoreHandOff = (handOff: HandOff, traceparent: string | undefined) => Promise<void>

/** Bytes of content in one statement; many more would delay the hand-offs of other tenants. A larger one is stored alone. */
export const mostBatchBytes = 4 * 1024 * 1024

interface HandOffContext extends DeliveryContext {
  db: Queries
  metrics: WebhookMetrics
  unreported: Unreported
  wakeOutbox(): void
  storeDeliveries: StoreDeliveries
}

export function createHandOffStore(context: HandOffContext): StoreHandOff {
  const {
    db,
    metrics,
    secrets: { keyRing },
  } = context
  const store = coalesce<OpenedHandOff, undefined>({
    maxBatch: 128,
    maxInFlight: 2,
    minIntervalMs: 5,
    weight: { of: ({ handOff }) => handOff.content.length, max: mostBatchBytes },
    async run(handOffs) {
      const providers = await chooseProviders(
        db.run,
        handOffs.map(({ handOff }) => handOff),
      )
      const prepared = handOffs.map((opened) => prepare(context, opened, providers.get(opened.handOff.application_id)))
      const deliveries = prepared.filter((one) => 'body' in one)
      const refusals = prepared.filter((one) => 'failure_reason' in one)
      const stored = await context.storeDeliveries(deliveries)
      context.unreported.add(stored)
      metrics.stored('hand-off', stored.size)
      const repeated = deliveries.filter(({ id }) => !stored.has(id))
      const rows = repeated.length > 0 ? await findHandOffs(db.run, repeated) : []
      const reports = [...rows.map(reportOf), ...refusals].map((event) => ({ event }))
      if (reports.length > 0) {
        await enqueueEvents(db.run, webhookReported, reports)
        context.wakeOutbox()
      }
      return prepared.map((one) => (one instanceof Error ? one : undefined))
    },
  })
  // Decrypted outside the batch: an unreadable hand-off fails alone.
  return async (handOff, traceparent) =>
    store({ handOff, payload: openEvent(keyRing, webhookRequested, handOff), traceparent })
}

/** @returns an error for a hand-off that must be redelivered; the others of its batch are stored */
function prepare(context: DeliveryContext, opened: OpenedHandOff, providerId: `prov_${string}` | undefined) {
  try {
    return deliveryOf(context, opened, providerId)
  } catch (error) {
    return error as Error
  }
}
