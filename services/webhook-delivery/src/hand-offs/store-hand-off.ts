import { type HandOff, webhookReported, webhookRequested } from '@notify/contracts'
import { enqueueEvents } from '@notify/database'
import { openEvent } from '@notify/messaging'
import { coalesce } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { insertDeliveries } from '../deliveries/insert-deliveries.ts'
import { chooseProviders } from '../providers/provider-store.ts'
import { deliveryOf, type OpenedHandOff } from './delivery-of.ts'
import { findHandOffs, reportOf } from './hand-off-store.ts'

/** Stores a hand-off of dispatch once, and reports its state; a repetition reports the state again. */
export type StoreHandOff = (handOff: HandOff, traceparent: string | undefined) => Promise<void>

export function createHandOffStore(context: Omit<Context, 'egress'>): StoreHandOff {
  const {
    db,
    metrics,
    secrets: { keyRing },
  } = context
  const store = coalesce<OpenedHandOff, undefined>({
    maxBatch: 128,
    maxInFlight: 2,
    minIntervalMs: 10,
    async run(handOffs) {
      const providers = await chooseProviders(
        db.run,
        handOffs.map(({ handOff }) => handOff),
      )
      const prepared = handOffs.map((opened) => prepare(context, opened, providers.get(opened.handOff.application_id)))
      const deliveries = prepared.filter((one) => 'body' in one)
      const refusals = prepared.filter((one) => 'failure_reason' in one)
      const count = await db.transaction(async (run) => {
        const stored = await insertDeliveries(run, deliveries)
        const rows = await findHandOffs(run, deliveries)
        const reports = [...rows.map(reportOf), ...refusals]
        await enqueueEvents(
          run,
          webhookReported,
          reports.map((event) => ({ event })),
        )
        return stored
      })
      metrics.stored('hand-off', count)
      context.wakeOutbox()
      if (count > 0) context.wakeEndpoints()
      return prepared.map((one) => (one instanceof Error ? one : undefined))
    },
  })
  // Decrypted outside the batch: an unreadable hand-off fails alone.
  return async (handOff, traceparent) =>
    store({ handOff, payload: openEvent(keyRing, webhookRequested, handOff), traceparent })
}

/** @returns an error for a hand-off that must be redelivered; the others of its batch are stored */
function prepare(context: Omit<Context, 'egress'>, opened: OpenedHandOff, providerId: `prov_${string}` | undefined) {
  try {
    return deliveryOf(context, opened, providerId)
  } catch (error) {
    return error as Error
  }
}
