import type { DeliveryStatus, Receipt } from '@notify/contracts'
import { type ReportStatus, transition } from './transition.ts'

interface Report {
  notification_id?: string | undefined
  status: ReportStatus
}

/**
 * Chooses one of several receipts of an attempt, such that applying it alone gives the same state as applying all in order.
 * @param receipts at least one
 */
export function foldReceipts<R extends Report>(receipts: readonly R[]): R {
  let status: DeliveryStatus = 'queued'
  let deciding = receipts[0]!
  for (const receipt of receipts) {
    const next = transition({ status, attempt: 1 }, { status: receipt.status, attempt: 1 })
    if (next === undefined) continue
    status = next
    deciding = receipt
  }
  return deciding
}

/** Identifies the attempt and the account, so that a foreign receipt never replaces the account's own. */
export const attemptKey = ({ notification_id, attempt_id, provider_id }: Receipt) =>
  `${notification_id} ${attempt_id} ${provider_id}`

/**
 * Splits receipts into rounds with at most one per notification; those of one attempt are folded into one.
 * @param attempt identifies an attempt
 */
export function planRounds<R extends Report>(receipts: readonly R[], attempt: (receipt: R) => string): R[][] {
  const folded = [...Map.groupBy(receipts, attempt).values()].map((group) => foldReceipts(group))
  const rounds: R[][] = []
  for (const sameNotification of Map.groupBy(folded, ({ notification_id }) => notification_id).values()) {
    sameNotification.forEach((receipt, index) => {
      rounds[index] ??= []
      rounds[index].push(receipt)
    })
  }
  return rounds
}
