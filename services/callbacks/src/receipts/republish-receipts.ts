import type { ReceiptWanted } from '@notify/contracts'
import type { Queries } from '@notify/database'
import { coalesce } from '@notify/service-kit'
import type { CallbackMetrics } from '../metrics.ts'
import { republishReceipts } from '../records/receipt-store.ts'

/** Publishes the receipts of an attempt again. Idempotent. */
export type RepublishReceipts = (wanted: ReceiptWanted) => Promise<void>

/** Handles dispatch's requests for missing receipts. */
export function createReceiptRepublisher({
  db,
  metrics,
  wakeOutbox,
}: {
  db: Queries
  metrics: CallbackMetrics
  wakeOutbox(): void
}): RepublishReceipts {
  return coalesce<ReceiptWanted, undefined>({
    maxBatch: 500,
    maxInFlight: 1,
    minIntervalMs: 40,
    async run(wanted) {
      const byAttempt = new Map(wanted.map((one) => [one.attempt_id, one]))
      const count = await republishReceipts(db, [...byAttempt.values()])
      if (count > 0) wakeOutbox()
      metrics.republished(count)
      return wanted.map(() => undefined)
    },
  })
}
