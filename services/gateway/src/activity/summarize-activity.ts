import { type summarizeActivity as contract, mostBuckets } from '@notify/contracts'
import { fieldProblem, type Handler, type Problem } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { listBuckets } from './bucket-store.ts'

const widthMs = { hour: 3_600_000, day: 86_400_000 }
const usualBuckets = { hour: 24, day: 30 }

/** Counts of each hour or day, at a cost that does not grow with the items. */
export const summarizeActivity: Handler<Context, typeof contract> = async ({ db }, { query, principal }) => {
  const { interval: width, channel, status, mode, application_id: applicationId } = query
  const { from, to } = rangeOf(query)
  const rows = await listBuckets(db, {
    ...{ tenantId: principal.tenant_id, applicationId, channel, status, mode, width },
    from: new Date(from),
    to: new Date(to),
  })
  const counts = Map.groupBy(rows, ({ starts_at }) => starts_at.getTime())
  const starts = Array.from({ length: (to - from) / widthMs[width] }, (_, n) => from + n * widthMs[width])
  return {
    interval: width,
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    buckets: starts.map((startMs) => ({
      starts_at: new Date(startMs).toISOString(),
      counts: (counts.get(startMs) ?? []).map(({ starts_at: _, ...count }) => count),
    })),
  }
}

/**
 * The whole buckets that a range touches.
 * @throws Problem `validation_failed` for a range with too many
 */
function rangeOf({ interval, from, to }: { interval: 'hour' | 'day'; from?: Date | undefined; to?: Date | undefined }) {
  const unit = widthMs[interval]
  const end = Math.ceil((to?.getTime() ?? Date.now() + 1) / unit) * unit
  const start = from ? Math.floor(from.getTime() / unit) * unit : end - usualBuckets[interval] * unit
  if (start >= end) throw refused('must be before to, and not in the future')
  if ((end - start) / unit > mostBuckets) {
    const hint = interval === 'hour' ? '; use interval=day for longer ranges' : ''
    throw refused(`must be at most ${mostBuckets} ${interval}s before to${hint}`)
  }
  return { from: start, to: end }
}

function refused(message: string): Problem {
  return fieldProblem('validation_failed', 'from', message)
}
