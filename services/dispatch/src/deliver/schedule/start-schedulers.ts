import { streams } from '@notify/contracts'
import { type OnCommit, oldestPublishableSeconds } from '@notify/database'
import { type Bus, findConsumer, readPosition } from '@notify/messaging'
import { type Kit, startPeriodic } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import type { HandOffLane } from '../../outcome/hand-offs/hand-off-consumers.ts'
import type { WakeSenders } from '../queues/wake-senders.ts'
import { retryPolicyOf } from '../settle/decide-next.ts'
import { closeOverdueReceipts } from './close-overdue-receipts.ts'
import { nextAttemptInMs, nextExpiryInMs } from './due-store.ts'
import { endExpiredNotifications } from './expiry-store.ts'
import { sumUpTallies } from './fold-tallies.ts'
import { mayHaveLostWork } from './look-lost-work.ts'
import { scheduleBatch } from './open-sql.ts'
import { createLeaseReconciler } from './reconcile-leases.ts'
import { type DeliveredLane, requeueLostWork } from './requeue-lost-work.ts'
import { takeDueNotifications } from './take-due.ts'

/** What the schedulers need of the context. */
type ScheduleContext = Context & { wakeSenders: WakeSenders; onCommit: OnCommit }

/** Interval of the search for work whose wake was lost. */
const lookEveryMs = 5000

/** Interval of batches, which are published in order: the facts of more would delay those of other tenants. */
const batchEveryMs = 250

/** Longer than any message waits. */
const sinceEver = 3650 * 24 * 3_600_000

/**
 * Starts the tasks that move waiting notifications on: due retries, attempts of crashed workers, hand-offs that the bus
 * lost.
 * @param handOffs the lanes of channels that other services deliver
 */
export function startSchedulers(kit: Kit, context: ScheduleContext, bus: Bus, handOffs: readonly HandOffLane[]): void {
  const { config, db, metrics } = context
  const policy = retryPolicyOf(config)
  const retries = startPeriodic(kit, {
    name: 'retry scheduler',
    everyMs: lookEveryMs,
    atLeastMs: batchEveryMs,
    async run() {
      const dueInMs = await nextAttemptInMs(db)
      if (dueInMs > 0) return dueInMs
      const taken = await takeDueNotifications(db, context.channels)
      if (taken.length === 0) return 0
      context.wakeOutbox()
      context.wakeSenders(taken)
      return 0
    },
  })
  context.onCommit(() => retries.stir())
  const reconcileLeases = createLeaseReconciler(db, policy)
  startPeriodic(kit, {
    name: 'lease reconciler',
    // Leases last longer than this, so none is found late.
    everyMs: 5000,
    atLeastMs: 1000,
    async run() {
      const reconciled = await reconcileLeases()
      if ('inMs' in reconciled) return reconciled.inMs
      const { expired, ended } = reconciled
      if (ended > 0) {
        context.wakeOutbox()
        metrics.recovered('lease_expired', ended)
        kit.log.warn({ attempts: ended }, 'attempts of a worker that is gone: their outcome is unknown')
      }
      return expired === scheduleBatch || 0
    },
  })
  const expiry = startPeriodic(kit, {
    name: 'expiry',
    everyMs: lookEveryMs,
    atLeastMs: batchEveryMs,
    async run() {
      const dueInMs = await nextExpiryInMs(db)
      if (dueInMs > 0) return dueInMs
      if ((await endExpiredNotifications(db)).late > 0) context.wakeOutbox()
      return 0
    },
  })
  context.onCommit(() => expiry.stir())
  startPeriodic(kit, {
    name: 'hand-off reconciler',
    everyMs: Math.min(config.STALLED_AFTER / 2, 5000),
    async run() {
      if (!(await mayHaveLostWork(db, handOffs, config.STALLED_AFTER))) return false
      // Read before the lanes: what is published in between counts in its lane.
      const unpublishedMs = 1000 * (await oldestPublishableSeconds(db.run))
      const lanes = await deliveredLanes(bus, handOffs, { unpublishedMs, stalledAfterMs: config.STALLED_AFTER })
      const count = await requeueLostWork(db, context.channels, lanes)
      if (count === 0) return false
      context.wakeOutbox()
      metrics.recovered('work_lost', count)
      kit.log.warn({ notifications: count }, 'hand-offs that the bus did not deliver are published again')
      return true
    },
  })
  startPeriodic(kit, {
    name: 'receipt deadline',
    everyMs: 60_000,
    run: () => closeOverdue(context),
  })
  startPeriodic(kit, { name: 'tally', everyMs: 10_000, run: () => sumUpTallies(db) })
}

/** Settles messages with overdue receipts, channels with the same deadline together. @returns whether there is more */
async function closeOverdue({ channels, config, db, wakeOutbox }: Context): Promise<boolean> {
  const byDeadline = Map.groupBy(Object.values(channels), (channel) => channel.receiptDeadlineMs(config))
  let more = false
  for (const [deadlineMs, group] of byDeadline) {
    if (deadlineMs === undefined) continue
    const names = group.map(({ name }) => name)
    const count = await closeOverdueReceipts(db, names, deadlineMs)
    if (count > 0) wakeOutbox()
    more = count === scheduleBatch || more
  }
  return more
}

interface Ages {
  /** Of the oldest message in the outbox, which publishes in the order of acceptance. */
  unpublishedMs: number
  stalledAfterMs: number
}

/**
 * The age of each lane's oldest message that is unpublished or unacknowledged: an older hand-off that still waits was lost.
 * Lanes are compared one by one, because the backlog of one would hide the losses of another.
 */
function deliveredLanes(
  bus: Bus,
  lanes: readonly HandOffLane[],
  { unpublishedMs, stalledAfterMs }: Ages,
): Promise<DeliveredLane[]> {
  return Promise.all(
    lanes.map(async ({ durable, lane, channel }) => ({
      lane,
      channel,
      delivered_ms_ago: Math.max(await oldestUndeliveredMs(bus, durable), unpublishedMs) + stalledAfterMs,
    })),
  )
}

/** Age of the oldest message that is not acknowledged; 0 when there is none. */
async function oldestUndeliveredMs(bus: Bus, durable: string): Promise<number> {
  const info = await findConsumer(bus, 'dispatch', durable).catch(() => undefined)
  const position = info && readPosition(info)
  // A durable that does not exist yet has delivered nothing; one of unknown position may not have.
  if (!position) return sinceEver
  const { floor, pending, unacknowledged } = position
  if (pending === 0 && unacknowledged === 0) return 0
  const next = await bus.jsm.streams.getMessage(streams.dispatch.name, { seq: floor + 1 }).catch(() => null)
  return next ? Math.max(0, Date.now() - next.time.getTime()) : sinceEver
}
