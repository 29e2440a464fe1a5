import { streams } from '@notify/contracts'
import { type Bus, findConsumer } from '@notify/messaging'
import { createTtlCache, type Kit, startPeriodic } from '@notify/service-kit'
import type { WorkerContext } from '../context.ts'
import { unknownReason } from './decide-next.ts'
import {
  type Balance,
  closeOverdueReceipts,
  expireAttemptLeases,
  measureBalance,
  requeueLostWork,
  scheduleBatch,
  sumUpTallies,
  takeDueNotifications,
} from './schedule-store.ts'

/** Starts what keeps every notification moving: due retries, attempts of crashed workers, work that the bus lost. */
export function startSchedulers(kit: Kit, context: WorkerContext, bus: Bus, durables: readonly string[]): void {
  const { config, db, metrics } = context
  startPeriodic(kit, {
    name: 'retry scheduler',
    everyMs: 250,
    async run() {
      const count = await takeDueNotifications(db)
      if (count > 0) context.wakeOutbox()
      return count === scheduleBatch
    },
  })
  startPeriodic(kit, {
    name: 'lease reconciler',
    everyMs: 1000,
    async run() {
      const count = await expireAttemptLeases(db, config.UNKNOWN_GRACE, config.SEND_RETRY_DELAYS.length, unknownReason)
      if (count === 0) return
      metrics.recovered('lease_expired', count)
      kit.log.warn({ attempts: count }, 'attempts of a worker that is gone: their outcome is unknown')
    },
  })
  startPeriodic(kit, {
    name: 'work reconciler',
    everyMs: Math.min(config.STALLED_AFTER / 2, 5000),
    async run() {
      const deliveredUpTo = await oldestUndelivered(bus, durables)
      const count = await requeueLostWork(db, new Date(deliveredUpTo.getTime() - config.STALLED_AFTER))
      if (count === 0) return false
      context.wakeOutbox()
      metrics.recovered('work_lost', count)
      kit.log.warn({ notifications: count }, 'work that the bus did not deliver is published again')
      return count === scheduleBatch
    },
  })
  startPeriodic(kit, {
    name: 'receipt deadline',
    everyMs: 60_000,
    run: async () => (await closeOverdueReceipts(db, config.RECEIPT_DEADLINE)) === scheduleBatch,
  })
  startPeriodic(kit, { name: 'tally', everyMs: 10_000, run: () => sumUpTallies(db) })
  exportBalance(kit, context)
}

/** The invariant for alerts: what was accepted is settled or in flight; `notify_unaccounted` is what is neither. */
function exportBalance({ metrics }: Kit, { db }: WorkerContext): void {
  // One query serves all gauges of a scrape.
  const measure = createTtlCache<Balance>({ ttlMs: 1000, maxEntries: 1, load: () => measureBalance(db) })
  const gauge = (name: string, description: string, of: (balance: Balance) => number) =>
    metrics.gauge(name, description, async () => of(await measure.get('balance')))
  gauge('notify_accepted', 'Notifications accepted since the beginning', ({ accepted }) => accepted)
  gauge('notify_settled', 'Notifications of which nothing more is expected', ({ settled }) => settled)
  gauge('notify_in_flight', 'Notifications that are scheduled, queued or wait for a receipt', (it) => it.in_flight)
  gauge(
    'notify_unaccounted',
    'Accepted less settled less in flight: 0',
    (it) => it.accepted - it.settled - it.in_flight,
  )
  gauge(
    'notify_in_flight_oldest_seconds',
    'Age of the oldest in flight, scheduled ones aside',
    (it) => it.oldest_seconds,
  )
  gauge('notify_queued', 'Notifications that wait to be sent', ({ queued }) => queued)
  gauge('notify_queued_oldest_seconds', 'Age of the longest waiting notification', (it) => it.queued_oldest_seconds)
}

/**
 * Work published before this moment has reached the workers: whatever of it still waits was lost. A long queue is not a
 * loss, so a lane's oldest unacknowledged message sets the moment.
 */
async function oldestUndelivered(bus: Bus, durables: readonly string[]): Promise<Date> {
  const { name } = streams.dispatch
  const times = await Promise.all(
    durables.map(async (durable) => {
      const info = await findConsumer(bus, 'dispatch', durable)
      // A durable that is still to be made has delivered nothing yet.
      if (!info) return 0
      const { num_pending, num_ack_pending, ack_floor } = info
      if (num_pending === 0 && num_ack_pending === 0) return Date.now()
      const next = await bus.jsm.streams.getMessage(name, { seq: ack_floor.stream_seq + 1 }).catch(() => null)
      return next ? next.time.getTime() : 0
    }),
  )
  return new Date(Math.min(Date.now(), ...times))
}
