import type { Receipt } from '@notify/contracts'
import { coalesce } from '@notify/service-kit'
import type { WorkerContext } from '../context.ts'
import { attemptKey, planRounds } from './fold-receipts.ts'
import { applyReceipts } from './receipt-store.ts'
import { isObservation } from './transition.ts'

const batch = { maxBatch: 256, maxInFlight: 2, minIntervalMs: 40 }

/** Handles the carriers' receipts; the same one may come twice and in any order. */
export type RecordReceipt = (receipt: Receipt) => Promise<void>

export function createReceiptRecorder(context: WorkerContext): RecordReceipt {
  const record = coalesce<Receipt, undefined>({
    ...batch,
    async run(receipts) {
      for (const round of planRounds(receipts, attemptKey)) await applyReceipts(context.db, round)
      context.wakeOutbox()
      return receipts.map(() => undefined)
    },
  })
  return async (receipt) => {
    context.metrics.receipt(receipt.channel, receipt.status)
    // Without our correlation it belongs to no notification of ours: a message sent by other means from the same account.
    if (!receipt.notification_id || !receipt.attempt_id || isObservation(receipt.status)) return
    // Half of all receipts say what this worker has just written itself.
    if (receipt.status === 'sent' && context.sentAttempts.has(receipt.attempt_id)) return
    await record(receipt)
  }
}
