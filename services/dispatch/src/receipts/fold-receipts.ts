import type { DeliveryStatus, Receipt, ReceiptStatus } from '@notify/contracts'
import { transition } from './transition.ts'

interface Report {
  notification_id?: string | undefined
  status: ReceiptStatus
}

/**
 * The one of several receipts of an attempt that decides: what all of them make of a state in their order, it makes alone.
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

/** What a receipt says it is about, and whose word that is: a stranger's never takes the place of the account's own. */
export const attemptKey = ({ notification_id, attempt_id, provider_id }: Receipt) =>
  `${notification_id} ${attempt_id} ${provider_id}`

/**
 * Rounds of receipts that may each be applied at once, at most one for a notification: those of one attempt become one,
 * those of several attempts follow each other.
 * @param attempt tells attempts apart
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
