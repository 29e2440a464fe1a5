import { activityLanes, compareNotifications, earliestId, gatewayItself, NotificationFact } from '@notify/contracts'
import { endPage, takePage } from '@notify/database'
import { type Kit, Problem, startPeriodic } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { countMissed } from '../usage/count-usage.ts'
import { listRevisions, projectFacts } from './activity-store.ts'

const walk = 'activity'
const pageSize = 1000
const lookBackMs = 24 * 60 * 60_000
const timeoutMs = 5000
/** Services of one deployment start in any order; an absence beyond this is logged as a failure. */
const startMs = 60_000

/**
 * Compares the activity of the last day with dispatch and writes missing facts.
 * Each page is claimed by one replica.
 */
export function startReconciliation(kit: Kit, context: Context): void {
  const { RECONCILE_INTERVAL, RECONCILE_AFTER } = context.config
  const everyMs = Math.min(RECONCILE_INTERVAL, 5000)
  const startedMs = performance.now()
  const isStarting = (fault: unknown) =>
    fault instanceof Problem && fault.code === 'service_unavailable' && performance.now() - startedMs < startMs
  startPeriodic(kit, {
    name: 'activity reconciler',
    everyMs,
    async run() {
      const reached = await takePage(context.db, walk)
      if (reached === undefined) return false
      const now = Date.now()
      const end = earliestId('notif', now - RECONCILE_AFTER)
      const after = [reached, earliestId('notif', now - lookBackMs)].toSorted().at(-1)!
      const next = await comparePage(context, after, end).catch(async (fault: unknown) => {
        await endPage(context.db, walk, reached, everyMs)
        if (!isStarting(fault)) throw fault
        kit.log.info('dispatch does not respond yet; the activity is compared once it does')
      })
      if (next === undefined) return false
      await (next === end ? endPage(context.db, walk, '', RECONCILE_INTERVAL) : endPage(context.db, walk, next, 0))
      return next !== end
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
    const missed = facts.map((fact) => NotificationFact.parse(fact))
    await projectFacts(db, missed)
    await countMissed(context, missed)
    metrics.repaired(facts.length)
    log.warn({ notifications: facts.length }, 'fetched changes that the bus did not deliver')
  }
  return reached
}
