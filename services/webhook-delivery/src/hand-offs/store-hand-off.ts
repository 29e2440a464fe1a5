import { type HandOff, type WebhookPayload, webhookReported, webhookRequested } from '@notify/contracts'
import { enqueueEvents } from '@notify/database'
import { openEvent } from '@notify/messaging'
import { coalesce } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { insertDeliveries } from '../deliveries/delivery-store.ts'
import { chooseProviders } from '../providers/provider-store.ts'
import { deliveryOf } from './delivery-of.ts'
import { findHandOffs, reportOf } from './hand-off-store.ts'

interface Opened {
  handOff: HandOff
  payload: WebhookPayload
}

/** Stores what dispatch hands over, once, and reports its state; a repetition is answered by the state again. */
export type StoreHandOff = (handOff: HandOff) => Promise<void>

export function createHandOffStore(context: Omit<Context, 'egress'>): StoreHandOff {
  const {
    db,
    metrics,
    secrets: { keyRing },
  } = context
  const store = coalesce<Opened, undefined>({
    maxBatch: 128,
    maxInFlight: 2,
    minIntervalMs: 10,
    async run(handOffs) {
      const providers = await chooseProviders(
        db.run,
        handOffs.map(({ handOff }) => handOff),
      )
      const prepared = handOffs.map(({ handOff, payload }) =>
        deliveryOf(context, handOff, payload, providers.get(handOff.application_id)),
      )
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
      return handOffs.map(() => undefined)
    },
  })
  // Opened alone: one that cannot be read holds up no other.
  return async (handOff) => store({ handOff, payload: openEvent(keyRing, webhookRequested, handOff) })
}
