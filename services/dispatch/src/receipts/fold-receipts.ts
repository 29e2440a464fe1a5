import type { DeliveryStatus, Receipt } from '@notify/contracts'
import { transition } from './transition.ts'

/**
 * The one of several receipts of an attempt that decides: what all of them make of a state in their order, it makes alone.
 * @param receipts at least one
 */
export function foldReceipts(receipts: readonly Receipt[]): Receipt {
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
const subjectOf = ({ notification_id, attempt_id, provider_id }: Receipt) =>
  `${notification_id} ${attempt_id} ${provider_id}`

/**
 * Rounds of receipts that may each be applied at once, at most one for a notification: those of one attempt become one,
 * those of several attempts follow each other.
 */
export function planRounds(receipts: readonly Receipt[]): Receipt[][] {
  const folded = [...Map.groupBy(receipts, subjectOf).values()].map(foldReceipts)
  const rounds: Receipt[][] = []
  for (const sameNotification of Map.groupBy(folded, ({ notification_id }) => notification_id).values()) {
    sameNotification.forEach((receipt, index) => {
      rounds[index] ??= []
      rounds[index].push(receipt)
    })
  }
  return rounds
}
