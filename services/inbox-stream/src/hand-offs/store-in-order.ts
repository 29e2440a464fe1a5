import { type HandOffReport, inboxCreated, optedOutReason } from '@notify/contracts'
import { enqueueEvents, type Run } from '@notify/database'
import { findKnown, type KnownItems } from './find-known.ts'
import type { HandedItem } from './handed-item.ts'
import { insertCancelled } from './insert-cancelled.ts'
import { insertItems, type StoredItem } from './insert-items.ts'
import { keepWaiting } from './keep-waiting.ts'
import { lockInboxes } from './lock-inboxes.ts'
import { planOrder } from './plan-order.ts'
import { takeWaiting } from './take-waiting.ts'
import type { Wishes } from './wishes.ts'

/** Bytes of content in one transaction; many more would exceed the time of a statement. A larger item is stored alone. */
export const mostBatchBytes = 4 * 1024 * 1024

/** A batch of hand-offs. */
interface Batch {
  received: readonly HandedItem[]
  /** Items of the inboxes whose waiting notifications are stored when their turn comes. */
  inboxes: readonly HandedItem[]
  wishes: Wishes
}

interface Result {
  /** The notifications whose turn it was and that are wanted; `stored` has a row for each that was new. */
  wanted: HandedItem[]
  stored: StoredItem[]
  cancelled: HandedItem[]
  early: HandedItem[]
  /** They go on waiting, although it is their turn: the batch has no room, or it is not known whether they are wanted. */
  held: KnownItems['waiting']
  /** Those that waited before and follow the held ones. */
  behind: KnownItems['waiting']
}

/**
 * Stores the notifications whose turn it is, except those that are not wanted, keeps the others until their predecessors
 * come, and reports on those that need not wait.
 */
export async function storeInOrder(run: Run, { received, inboxes, wishes }: Batch): Promise<Result> {
  await lockInboxes(run, inboxes)
  const known = await findKnown(run, received, inboxes)
  // One that is received again may come without its predecessor, to be stored at once; its bytes count already.
  const again = new Set<string>(received.map(({ notification_id }) => notification_id))
  const waiting = new Map(known.waiting.map((item) => [item.notification_id, item]))
  let bytes = received.reduce((sum, { content }) => sum + content.length, 0)
  const plan = planOrder(received, known, (id) => {
    const item = waiting.get(id)
    if (!item || again.has(id)) return true
    if (wishes.faultOf(item) || (bytes > 0 && bytes + item.bytes > mostBatchBytes)) return false
    bytes += item.bytes
    return true
  })
  const taken = await takeWaiting(
    run,
    plan.ready.filter((id) => waiting.has(id)),
  )
  const items = new Map<string, HandedItem>([...taken, ...received].map((item) => [item.notification_id, item]))
  const ready = plan.ready.map((id) => items.get(id)!)
  const early = plan.early.map((id) => items.get(id)!)
  const [wanted, cancelled] = [ready.filter((item) => !wishes.isOptedOut(item)), ready.filter(wishes.isOptedOut)]
  const stored = await insertItems(run, wanted)
  await insertCancelled(run, cancelled)
  await keepWaiting(run, early)
  // A repetition is reported again, because the first report may have been lost.
  const repeated = received.filter(({ notification_id }) => known.stored.has(notification_id))
  const reports = [
    ...ready.map((item) => reportOf(item, wishes.isOptedOut(item))),
    ...repeated.map((item) => reportOf(item, known.cancelled.has(item.notification_id))),
  ]
  await enqueueEvents(run, inboxCreated, reports)
  const waitingOf = (ids: readonly HandedItem['notification_id'][]) => ids.flatMap((id) => waiting.get(id) ?? [])
  return { wanted, stored, cancelled, early, held: waitingOf(plan.held), behind: waitingOf(plan.behind) }
}

function reportOf({ notification_id, retry_count, traceparent }: HandedItem, isCancelled: boolean) {
  const event: HandOffReport = {
    ...{ notification_id, retry_count, status: isCancelled ? 'cancelled' : 'delivered' },
    failure_reason: isCancelled ? optedOutReason : null,
    retryable: false,
  }
  return { event, traceparent }
}
