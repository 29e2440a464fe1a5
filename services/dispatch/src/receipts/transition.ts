import type { DeliveryStatus, ReceiptStatus } from '@notify/contracts'

/**
 * How far a message has come; a receipt never lowers it, and of two at the same height the first one stands. What is
 * scheduled or cancelled was never given to a carrier: no report is about it.
 */
const rank: Record<DeliveryStatus, number> = {
  queued: 0,
  sent: 1,
  undelivered: 2,
  failed: 2,
  delivered: 3,
  scheduled: 3,
  cancelled: 3,
}

/** What each report says of the message; an observation says nothing of its state. Who has read it has received it. */
const meaning: Record<ReceiptStatus, DeliveryStatus | undefined> = {
  sent: 'sent',
  delivered: 'delivered',
  read: 'delivered',
  undelivered: 'undelivered',
  failed: 'failed',
  delayed: undefined,
  complained: undefined,
}

/** A notification's state, and the attempt that it speaks of: none while it waits for the first one of a round. */
export interface Current {
  status: DeliveryStatus
  attempt: number | undefined
}

/** What a carrier said of one attempt. */
export interface Report {
  status: ReceiptStatus
  attempt: number
}

/**
 * The transition table of a notification's state. `delivered` counts whatever the attempt, and nothing follows it; anything
 * else moves only the state of its own attempt, and only up.
 * @returns the next state, or `undefined` when nothing changes
 */
export function transition(current: Current, report: Report): DeliveryStatus | undefined {
  const next = meaning[report.status]
  if (next === undefined || rank[next] <= rank[current.status]) return undefined
  return next === 'delivered' || report.attempt === current.attempt ? next : undefined
}

/** Whether a report says nothing of the message's state, now or later. */
export const isObservation = (status: ReceiptStatus): boolean => meaning[status] === undefined

/** A line of the table: what a report makes of a state, of which attempt it may be. */
export interface Move {
  from: DeliveryStatus
  report: ReceiptStatus
  /** Whether it must be of the attempt that the state speaks of. */
  ownAttempt: boolean
  to: DeliveryStatus
}

/** Every move that there is, found by asking `transition`: what statements are made from, so that there is one table. */
export const moves: readonly Move[] = (Object.keys(rank) as DeliveryStatus[]).flatMap((from) =>
  (Object.keys(meaning) as ReceiptStatus[]).flatMap((report) => {
    const own = transition({ status: from, attempt: 1 }, { status: report, attempt: 1 })
    const other = transition({ status: from, attempt: 2 }, { status: report, attempt: 1 })
    return own === undefined ? [] : [{ from, report, ownAttempt: other !== own, to: own }]
  }),
)
