import type { Receipt } from '@notify/contracts'
import { isUnavailable } from '@notify/database'
import { bisect, coalesce } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import type { WithFailureCount } from '../failures/count-failures.ts'
import { attemptKey, planRounds } from './fold-receipts.ts'
import { recordReads } from './read-store.ts'
import { applyReceipts, readModes } from './receipt-store.ts'
import type { SentAttempts } from './sent-attempts.ts'
import { isObservation } from './transition.ts'

/** Receipts are not urgent, and a batch costs little more than a single receipt. */
const batch = { maxBatch: 512, maxInFlight: 2, minIntervalMs: 200 }

/** Handles receipts of carriers, in any order and with repetitions. One that Postgres refuses fails alone. */
export type RecordReceipt = (receipt: Receipt) => Promise<void>

export function createReceiptRecorder(
  context: Pick<Context, 'db' | 'metrics' | 'wakeOutbox'> & WithFailureCount & { sentAttempts: SentAttempts },
): RecordReceipt {
  const recordTogether = async (receipts: readonly Receipt[]) => {
    for (const round of planRounds(receipts, attemptKey)) {
      const { latencies, reported } = await applyReceipts(context.db, round)
      context.metrics.took(latencies)
      context.metrics.reported(reported)
    }
    await recordReads(context.db, receipts)
    context.wakeOutbox()
    await countLost(context, receipts)
    return receipts.map(() => undefined)
  }
  const record = coalesce<Receipt, undefined>({
    ...batch,
    run: (receipts) => bisect([receipts], recordTogether, isUnavailable),
  })
  return async (receipt) => {
    context.metrics.receipt(receipt.channel, receipt.status)
    // Without our ids it belongs to a message that another system sent through the same account.
    if (!receipt.notification_id || !receipt.attempt_id || isObservation(receipt.status)) return
    // Receipts of copies do not change the state; only the main recipient's do.
    if (receipt.copy !== undefined) return
    // Half of all receipts report `sent`, which this worker has usually recorded already.
    if (receipt.status === 'sent' && context.sentAttempts.has(receipt.attempt_id)) return
    await record(receipt)
  }
}

async function countLost({ db, countFailure }: Pick<Context, 'db'> & WithFailureCount, receipts: readonly Receipt[]) {
  const lost = receipts.filter(({ status }) => status === 'failed' || status === 'undelivered')
  if (lost.length === 0) return
  const modes = await readModes(
    db.run,
    lost.map((receipt) => receipt.notification_id!),
  )
  for (const { notification_id: id, channel, provider_id: providerId, error_code: code, reason } of lost)
    countFailure({ mode: modes.get(id!) ?? 'live', channel, providerId, code, reason })
}
