import { setTimeout as delay } from 'node:timers/promises'
import { isId } from '@notify/contracts'
import { coalesce } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { disableSubscription } from '../subscriptions/disable-subscription.ts'
import { type CountedEndpoint, type Settlement, settleDeliveries } from './settle-deliveries.ts'

/** Waits between tries to settle. A lease may end meanwhile; settling is safe then, too. */
const retryDelaysMs = [100, 500, 2000, 5000]

/** Settles attempts, those of the same moment in one statement, and disables endpoints that have failed for too long. */
export function createSettler(context: Context): (settlement: Settlement) => Promise<undefined> {
  return coalesce<Settlement, undefined>({
    maxBatch: 256,
    maxInFlight: 2,
    minIntervalMs: 10,
    run: (settlements) => settleBatch(context, settlements),
  })
}

/** An accepted event must not be sent again because Postgres was down for a moment. */
async function settleWithRetries({ db, log }: Context, settlements: readonly Settlement[]): Promise<CountedEndpoint[]> {
  for (const delayMs of retryDelaysMs) {
    try {
      return await settleDeliveries(db.run, settlements)
    } catch (error) {
      log.warn({ err: error, count: settlements.length }, 'attempts could not be settled; trying again')
      await delay(delayMs)
    }
  }
  return settleDeliveries(db.run, settlements)
}

async function settleBatch(context: Context, settlements: readonly Settlement[]): Promise<undefined[]> {
  const endpoints = await settleWithRetries(context, settlements)
  context.wakeOutbox()
  for (const { deliveryId, verdict } of settlements)
    if (verdict.outcome !== 'failed') context.unreported.ended(deliveryId)
  for (const { id, failing_ms } of endpoints) {
    if (failing_ms === null || failing_ms < context.config.WEBHOOK_DISABLE_AFTER) continue
    if (isId('whsub', id))
      await disableSubscription(context, id, { reason: 'failing', forMs: context.config.WEBHOOK_DISABLE_AFTER })
  }
  return settlements.map(() => undefined)
}
