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

/** How a consumer looks up the messages of its receipts. */
export interface Lookups {
  /**
   * The receipts that may wait for a message at a time: those for messages that other systems send through the accounts of a
   * tenant must not block the consumer. At most half of its slots, so that receipts of known messages pass them.
   */
  waiting: TenantRoomSize
  /** Time between two lookups, each of all slots at most. */
  everyMs: number
}

export const receiptLookups: Lookups = { waiting: { most: 512, mostOfTenant: 64 }, everyMs: 100 }
/** This consumer has few slots: at the pace of the other, a tenant's 10,000 strange bounces take a minute. */
export const suppressionLookups: Lookups = { waiting: { most: 8, mostOfTenant: 4 }, everyMs: 10 }

/** Delays before the lookup is repeated: a receipt may arrive before the carrier's id of the message is recorded. */
const waitsMs = [500, 2000]
const overtakesForMs = 10_000

/** Carriers omit our ids in some states. Only then the message is looked up by the carrier's id. */
export function createCorrelator({ db }: Pick<Context, 'db'>, { waiting, everyMs }: Lookups): CorrelateReceipt {
  const find = coalesce<Receipt, Receipt>({
    ...{ maxBatch: 256, maxInFlight: 1, minIntervalMs: everyMs },
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
  correlateReceipt: createCorrelator(context, receiptLookups),
  correlateSuppression: createCorrelator(context, suppressionLookups),
})

const keyOf = (row: { provider_id: string | null; provider_message_id: string | null }) =>
  `${row.provider_id} ${row.provider_message_id}`
