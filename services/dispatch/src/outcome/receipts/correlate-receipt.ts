import { setTimeout as delay } from 'node:timers/promises'
import type { Receipt } from '@notify/contracts'
import { coalesce, createTenantRoom, type TenantRoomSize } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import { findCorrelations } from './correlation-store.ts'

/** Adds our ids to a receipt without them, if the message is ours. */
export type CorrelateReceipt = (receipt: Receipt) => Promise<Receipt>

/** Of each consumer of receipts. */
export interface Correlators {
  correlateReceipt: CorrelateReceipt
  correlateSuppression: CorrelateReceipt
}

/** At most half of the slots of a consumer, so that receipts of known messages pass those that wait for theirs. */
export const waitingReceipts = { most: 512, mostOfTenant: 64 }
export const waitingSuppressions = { most: 8, mostOfTenant: 4 }

const batch = { maxBatch: 256, maxInFlight: 1, minIntervalMs: 100 }

/** Delays before the lookup is repeated: a receipt may arrive before the carrier's id of the message is recorded. */
const waitsMs = [500, 2000]
const overtakesForMs = 10_000
/**
 * Carriers omit our ids in some states. Only then the message is looked up by the carrier's id.
 * @param waiting the receipts that may wait for a message at a time: those for messages that other systems send through the
 *   accounts of a tenant must not block the consumer
 */
export function createCorrelator({ db }: Pick<Context, 'db'>, waiting: TenantRoomSize): CorrelateReceipt {
  const find = coalesce<Receipt, Receipt>({
    ...batch,
    async run(receipts) {
      const lost = receipts.map(({ provider_id, provider_message_id }) => ({ provider_id, provider_message_id }))
      const rows = await findCorrelations(db, lost)
      const known = new Map(
        rows.map(({ notification_id, id: attempt_id, ...row }) => [keyOf(row), { notification_id, attempt_id }]),
      )
      return receipts.map((receipt) => ({ ...receipt, ...known.get(keyOf(receipt)) }))
    },
  })
  const room = createTenantRoom(waiting)
  const lookAgain = async (receipt: Receipt): Promise<Receipt> => {
    const leave = await room(receipt.tenant_id ?? receipt.provider_id, performance.now())
    if (!leave) return receipt
    try {
      for (const waitMs of waitsMs) {
        await delay(waitMs)
        const found = await find(receipt)
        if (found.attempt_id) return found
      }
      return receipt
    } finally {
      leave()
    }
  }
  return async (receipt) => {
    if (receipt.notification_id && receipt.attempt_id) return receipt
    const found = await find(receipt)
    const isYoung = Date.now() - Date.parse(receipt.received_at) < overtakesForMs
    return found.attempt_id || !isYoung ? found : lookAgain(receipt)
  }
}

export const createCorrelators = (context: Pick<Context, 'db'>): Correlators => ({
  correlateReceipt: createCorrelator(context, waitingReceipts),
  correlateSuppression: createCorrelator(context, waitingSuppressions),
})

const keyOf = (row: { provider_id: string | null; provider_message_id: string | null }) =>
  `${row.provider_id} ${row.provider_message_id}`
