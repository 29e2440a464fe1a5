import { setTimeout as delay } from 'node:timers/promises'
import { activityLanes, compareNotifications, earliestId, gatewayItself, NotificationFact } from '@notify/contracts'
import { endPage, takePage } from '@notify/database'
import { type Kit, Problem, startPeriodic } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { listRevisions } from './activity-store.ts'
import { projectFacts } from './project-facts.ts'
import { itemOfMessage } from './project-notification.ts'

/** A comparison that repeats: the messages accepted within a range of ages. */
interface Walk {
  name: string
  ageMs: { from: number; to: number }
  /** Time between its end and its next start. */
  intervalMs: number
  /** Pause after each page, in times of the page's own duration. */
  rest: number
}

const pageSize = 1000
const dayMs = 24 * 60 * 60_000
/** A message is first sent at most 30 days after its acceptance; retries and receipts take some days more. */
const oldestMs = 35 * dayMs
const timeoutMs = 5000
/** A stop waits for the pause. */
const longestRestMs = 2000
/** Services of one deployment start in any order; an absence beyond this is logged as a failure. */
const startMs = 60_000

/**
 * Compares the activity with dispatch and writes missing facts: the last day often, older ones once a day, because scheduled or
 * retried messages change late. Each page is claimed by one replica.
 */
export function startReconciliation(kit: Kit, context: Context): void {
  const { RECONCILE_INTERVAL, RECONCILE_AFTER, ACTIVITY_RETENTION } = context.config
  // Items that the retention deletes must not reappear.
  const longestMs = Math.min(oldestMs, ACTIVITY_RETENTION - 60 * 60_000)
  const walks: Walk[] = [
    {
      name: 'activity',
      ageMs: { from: Math.min(dayMs, longestMs), to: RECONCILE_AFTER },
      intervalMs: RECONCILE_INTERVAL,
      rest: 0,
    },
    { name: 'older activity', ageMs: { from: longestMs, to: dayMs }, intervalMs: dayMs, rest: 4 },
  ]
  for (const walk of walks) if (walk.ageMs.from > walk.ageMs.to) startWalk(kit, context, walk)
}

function startWalk(kit: Kit, context: Context, { name, ageMs, intervalMs, rest }: Walk): void {
  const everyMs = Math.min(context.config.RECONCILE_INTERVAL, 10_000)
  const startedMs = performance.now()
  const isStarting = (fault: unknown) =>
    fault instanceof Problem && fault.code === 'service_unavailable' && performance.now() - startedMs < startMs
  startPeriodic(kit, {
    name: `reconciler of the ${name}`,
    everyMs,
    async run() {
      const reached = await takePage(context.db, name)
      if (reached === undefined) return false
      const now = Date.now()
      const end = earliestId('notif', now - ageMs.to)
      const after = [reached, earliestId('notif', now - ageMs.from)].toSorted().at(-1)!
      const next = await comparePage(context, after, end).catch(async (fault: unknown) => {
        await endPage(context.db, name, reached, everyMs)
        if (!isStarting(fault)) throw fault
        kit.log.info('dispatch does not respond yet; the activity is compared once it does')
      })
      if (next === undefined) return false
      if (next === end) {
        await endPage(context.db, name, '', intervalMs)
        return false
      }
      await delay(Math.min(rest * (Date.now() - now), longestRestMs))
      await endPage(context.db, name, next, 0)
      return true
    },
  })
}

/** @returns the end of the compared range */
async function comparePage(context: Context, after: string, end: string): Promise<string> {
  const { db, dispatch, log, metrics, signPrincipal, config } = context
  const rows = await listRevisions(db, { after, until: end, limit: pageSize })
  const { facts, reached } = await dispatch.call(compareNotifications, {
    principal: await signPrincipal(gatewayItself),
    body: {
      after,
      until: rows.length === pageSize ? rows.at(-1)!.id : end,
      lanes: [...activityLanes],
      quiet_seconds: config.RECONCILE_AFTER / 1000,
      known: Object.fromEntries(rows.map(({ id, revision }) => [id, revision])),
    },
    timeoutMs,
  })
  if (facts.length > 0) {
    await projectFacts(
      db,
      facts.map((fact) => itemOfMessage(NotificationFact.parse(fact), config)),
    )
    metrics.repaired(facts.length)
    log.warn({ notifications: facts.length }, 'fetched changes that the bus did not deliver')
  }
  return reached
}
