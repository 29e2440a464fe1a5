import type { DeliveryStatus, ReceiptStatus } from '@notify/contracts'

/**
 * The rank of each state. A receipt never lowers it, and between equal ranks the first state stays. `scheduled` messages
 * were never sent, but `cancelled` ones may have been, if the recipient switched them off between attempts.
 */
const rank: Record<DeliveryStatus, number> = {
  queued: 0,
  sent: 1,
  undelivered: 2,
  failed: 2,
  delivered: 3,
  scheduled: 3,
  cancelled: 2,
}

/** A status that a carrier or one of our services reports; carriers never report `cancelled`. */
export type ReportStatus = ReceiptStatus | 'cancelled'

/** The state that each report means; observations mean none. `read` implies delivery. */
const meaning: Record<ReportStatus, DeliveryStatus | undefined> = {
  sent: 'sent',
  delivered: 'delivered',
  read: 'delivered',
  undelivered: 'undelivered',
  failed: 'failed',
  cancelled: 'cancelled',
  delayed: undefined,
  complained: undefined,
  unsubscribed: undefined,
}

/** A notification's state and its attempt; none before the first attempt of a round. */
export interface Current {
  status: DeliveryStatus
  attempt: number | undefined
}

/** A report on an attempt. */
export interface Report {
  status: ReportStatus
  attempt: number
}

/**
 * The transitions of notifications: `delivered` counts for every attempt and is final.
 * Other reports count only for their own attempt, and only raise the rank.
 * @returns the next state, or `undefined` when nothing changes
 */
export function transition(current: Current, report: Report): DeliveryStatus | undefined {
  const next = meaning[report.status]
  if (next === undefined || rank[next] <= rank[current.status]) return undefined
  return next === 'delivered' || report.attempt === current.attempt ? next : undefined
}

/** Whether a report never affects the state. */
export const isObservation = (status: ReportStatus): boolean => meaning[status] === undefined

/** An entry of the transition table. */
export interface Move {
  from: DeliveryStatus
  report: ReportStatus
  /** Whether the report must belong to the current attempt. */
  ownAttempt: boolean
  to: DeliveryStatus
}

/** Every transition, enumerated from `transition`; the SQL is generated from it. */
export const moves: readonly Move[] = (Object.keys(rank) as DeliveryStatus[]).flatMap((from) =>
  (Object.keys(meaning) as ReportStatus[]).flatMap((report) => {
    const own = transition({ status: from, attempt: 1 }, { status: report, attempt: 1 })
    const other = transition({ status: from, attempt: 2 }, { status: report, attempt: 1 })
    return own === undefined ? [] : [{ from, report, ownAttempt: other !== own, to: own }]
  }),
)
