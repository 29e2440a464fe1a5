import { randomUUID } from 'node:crypto'
import { type Kit, type Reading, startPeriodic } from '@notify/service-kit'
import type { Context } from '../context.ts'
import type { LaneOf } from '../deliver/queues/queue-store.ts'
import { nextAttemptInMs } from '../deliver/schedule/due-store.ts'
import {
  holdBalanceLease,
  type OldestQueued,
  readOldestQueued,
  readOverdueDigests,
  readTally,
  type Tally,
} from './balance-store.ts'
import { type Balance, checkBalance } from './check-balance.ts'

const everyMs = 5000
/** While nothing waits. */
const idleEveryMs = 10_000
const leaseSeconds = 30
/** An older measurement is not exported: alerts would read the last good values for as long as measuring fails. */
const usableMs = 60_000
/** A scan of what is in flight takes a second for each million: it may take this share of the time. */
const longestShare = 0.01

interface Measured {
  tally: Tally
  oldest: OldestQueued[]
  digestsOverdueSeconds: number
  attemptsOverdueSeconds: number
  /** By `performance.now()`. */
  atMs: number
  /** Of the last scan, unless that failed. */
  balance: Balance | undefined
}

/**
 * Exports where all notifications are. One worker counts and exports for all; the others export nothing. The counters of the
 * statements cost the same however many there are; a scan, rare when it is long, checks them.
 */
export function exportBalance(kit: Kit, { db }: Pick<Context, 'db'>, lanes: readonly LaneOf[]): void {
  const holder = randomUUID()
  let measured: Measured | undefined
  let scanAtMs = 0
  const scan = async (): Promise<Balance | undefined> => {
    const begunMs = performance.now()
    try {
      const balance = await checkBalance(db)
      const { corrected } = balance
      if (corrected !== 0)
        kit.log.warn({ corrected }, 'the counters of queued notifications differed from the scan: corrected')
      return balance
    } catch (error) {
      kit.log.warn({ err: error }, 'the scan of what is in flight failed: the counters were not checked')
      return undefined
    } finally {
      scanAtMs = performance.now() + (performance.now() - begunMs) / longestShare
    }
  }
  startPeriodic(kit, {
    name: 'balance',
    everyMs: idleEveryMs,
    async run() {
      if (!(await holdBalanceLease(db, holder, leaseSeconds))) {
        measured = undefined
        return everyMs
      }
      const isScanDue = !measured || performance.now() >= scanAtMs
      // Known before the scan, which takes long and may fail: alerts and autoscalers read them.
      const [tally, oldest] = [await readTally(db), await readOldestQueued(db, lanes)]
      const digestsOverdueSeconds = await readOverdueDigests(db)
      const attemptsOverdueSeconds = Math.max(0, -(await nextAttemptInMs(db)) / 1000)
      const overdue = { digestsOverdueSeconds, attemptsOverdueSeconds }
      measured = { balance: measured?.balance, tally, oldest, ...overdue, atMs: performance.now() }
      if (isScanDue) measured.balance = await scan()
      return tally.queued > 0 ? everyMs : idleEveryMs
    },
  })
  const gauge = (name: string, description: string, of: (measured: Measured) => number | Reading[]) =>
    kit.metrics.gauge(name, description, () =>
      measured && performance.now() < measured.atMs + usableMs ? of(measured) : [],
    )
  const ofScan =
    (of: (balance: Balance) => number) =>
    ({ balance }: Measured) =>
      balance ? of(balance) : []
  gauge('notify_balance_accepted', 'Notifications accepted since the beginning', ({ tally }) => tally.accepted)
  gauge('notify_balance_settled', 'Notifications of which nothing more is expected', ({ tally }) => tally.settled)
  gauge(
    'notify_in_flight',
    'Notifications that are scheduled, queued or wait for a receipt',
    ({ tally: { accepted, settled } }) => accepted - settled,
  )
  gauge(
    'notify_unaccounted',
    'Accepted less settled less in flight, at the last scan: 0',
    ofScan(({ accepted, settled, in_flight }) => accepted - settled - in_flight),
  )
  gauge(
    'notify_attempts_unmatched',
    'Open attempts of notifications that are not being sent, at the last scan: 0',
    ofScan(({ unmatched }) => unmatched),
  )
  gauge(
    'notify_digest_items_unmatched',
    'Items that wait for a digest which is gone, at the last scan: 0',
    ofScan(({ unmatched_items }) => unmatched_items),
  )
  gauge(
    'notify_digests_overdue_seconds',
    'How long the digest that is due for longest has been due',
    ({ digestsOverdueSeconds }) => digestsOverdueSeconds,
  )
  gauge(
    'notify_attempts_overdue_seconds',
    'How long the scheduled or retried message that is due for longest has waited to be queued',
    ({ attemptsOverdueSeconds }) => attemptsOverdueSeconds,
  )
  gauge(
    'notify_in_flight_oldest_seconds',
    'Age of the oldest in flight at the last scan, scheduled ones aside',
    ofScan(({ oldest_seconds }) => oldest_seconds),
  )
  gauge('notify_queued', 'Notifications that are due: a worker could send them now, or is sending them', ({ tally }) =>
    Math.max(0, tally.queued - tally.waiting),
  )
  gauge('notify_waiting', 'Notifications that are queued for a later attempt', ({ tally }) =>
    Math.max(0, tally.waiting),
  )
  gauge(
    'notify_queued_oldest_seconds',
    'How long the oldest of each lane has been due, unless only its account delays it',
    ({ oldest }) => oldest.map(({ lane, channel, seconds }) => ({ value: seconds, attributes: { lane, channel } })),
  )
  gauge(
    'notify_limited_oldest_seconds',
    'How long the oldest of each lane has been due whose account is used at its rate limit',
    ({ oldest }) =>
      oldest.map(({ lane, channel, limited_seconds }) => ({ value: limited_seconds, attributes: { lane, channel } })),
  )
}
