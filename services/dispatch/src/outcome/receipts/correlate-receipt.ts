import { setTimeout as delay } from 'node:timers/promises'
import type { Receipt } from '@notify/contracts'
import { coalesce } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import { findCorrelations } from './correlation-store.ts'

/** Adds our ids to a receipt without them, if the message is ours. */
export type CorrelateReceipt = (receipt: Receipt) => Promise<Receipt>

const batch = { maxBatch: 256, maxInFlight: 1, minIntervalMs: 100 }

/** Delays before the lookup is repeated: a receipt may arrive before the carrier's id of the message is recorded. */
const waitsMs = [500, 2000]
const overtakesForMs = 10_000
/**
 * Maximum receipts of an account that wait at a time. Receipts for mail that other systems send through the account must not
 * block the consumer.
 */
const mostWaiting = 64

/** Carriers omit our ids in some states. Only then the message is looked up by the carrier's id. */
export function createCorrelator({ db }: Pick<Context, 'db'>): CorrelateReceipt {
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
  const waiting = new Map<string, number>()
  const lookAgain = async (receipt: Receipt): Promise<Receipt> => {
    const { provider_id } = receipt
    const before = waiting.get(provider_id) ?? 0
    if (before >= mostWaiting) return receipt
    waiting.set(provider_id, before + 1)
    try {
      for (const waitMs of waitsMs) {
        await delay(waitMs)
        const found = await find(receipt)
        if (found.attempt_id) return found
      }
      return receipt
    } finally {
      const left = waiting.get(provider_id)! - 1
      if (left === 0) waiting.delete(provider_id)
      else waiting.set(provider_id, left)
    }
  }
  return async (receipt) => {
    if (receipt.notification_id && receipt.attempt_id) return receipt
    const found = await find(receipt)
    const isYoung = Date.now() - Date.parse(receipt.received_at) < overtakesForMs
    return found.attempt_id || !isYoung ? found : lookAgain(receipt)
  }
}

const keyOf = (row: { provider_id: string | null; provider_message_id: string | null }) =>
  `${row.provider_id} ${row.provider_message_id}`
