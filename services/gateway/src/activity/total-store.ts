import { mostCounted } from '@notify/contracts'
import { cast, column, type Queries } from '@notify/database'
import { sql } from 'kysely'
import { build } from '../db/schema.ts'
import { accessPath, all, type Condition, dimensionsOf, rangeOf } from './access-path.ts'
import type { ActivityFilter } from './activity-filter.ts'
import { splitRange, type TimeRange } from './split-range.ts'

export interface Total {
  total: number
  /** Whether there may be more: without a counter, only this many were counted. */
  capped: boolean
}

/** Counts matches at a cost that does not grow with them: by counters, and up to `mostCounted` one by one where there are none. */
export async function countItems(db: Queries, filter: ActivityFilter): Promise<Total> {
  const { recipientIndex, locale, broadcastId, digestId, eventKey, retryable, from, to } = filter
  const hasRange = from !== undefined || to !== undefined
  const isCounted = recipientIndex === undefined && locale === undefined && (broadcastId ?? digestId) === undefined
  if (isCounted && !hasRange) return { total: await sumTotals(db, filter), capped: false }
  const hasBuckets = isCounted && eventKey === undefined && retryable === undefined
  const { days, hours, rest } = hasBuckets ? splitRange({ from, to }) : { days: [], hours: [], rest: [{ from, to }] }
  const [sum, single] = [await sumBuckets(db, filter, { days, hours }), await countSingly(db, filter, rest)]
  return single > mostCounted ? { total: sum + mostCounted, capped: true } : { total: sum + single, capped: false }
}

const sum = cast(column.double(), sql`coalesce(sum(count), 0)`).as('total')

async function sumTotals(db: Queries, filter: ActivityFilter): Promise<number> {
  const ofTenant = build.selectFrom('activity_totals').select(sum).where('tenant_id', '=', filter.tenantId)
  const ofEvent = ofTenant.where('event_key', '=', filter.eventKey ?? '')
  const [row] = await db.run(dimensionsOf(filter).reduce((rows, condition) => rows.where(condition), ofEvent))
  return row!.total
}

async function sumBuckets(
  db: Queries,
  { tenantId, applicationId, ...dimensions }: ActivityFilter,
  { days, hours }: { days: readonly TimeRange[]; hours: readonly TimeRange[] },
): Promise<number> {
  if (days.length + hours.length === 0) return 0
  const spans = [
    ...days.map((range) => all([sql<boolean>`width = 'day'`, ...startsIn(range)])),
    ...hours.map((range) => all([sql<boolean>`width = 'hour'`, ...startsIn(range)])),
  ]
  const inSpans = build
    .selectFrom('activity_buckets')
    .select(sum)
    .where('tenant_id', '=', tenantId)
    .where('application_id', '=', applicationId ?? '')
    .where(({ or }) => or(spans))
  const [row] = await db.run(dimensionsOf(dimensions).reduce((rows, condition) => rows.where(condition), inSpans))
  return row!.total
}

function startsIn({ from, to }: TimeRange): Condition[] {
  return [
    ...(from ? [sql<boolean>`starts_at >= ${from}::timestamptz`] : []),
    ...(to ? [sql<boolean>`starts_at < ${to}::timestamptz`] : []),
  ]
}

/** Counts up to one more than `mostCounted`. */
async function countSingly(db: Queries, filter: ActivityFilter, ranges: readonly TimeRange[]): Promise<number> {
  let count = 0
  for (const range of ranges) {
    const { sources = sql`select`, conditions, compared } = accessPath(filter)
    const most = mostCounted + 1 - count
    const where = all([...conditions, ...compared, ...rangeOf(range)])
    const counted = sql<{ tenant_id: string }>`(
      select found.tenant_id from (${sources}) as s
      cross join lateral (select a.tenant_id from activity a where ${where} limit ${most}) as found limit ${most})`
    const [row] = await db.run(
      build
        .selectFrom(counted.as('counted'))
        .select(cast(column.integer(), sql`count(*)`).as('count'))
        .where('tenant_id', '=', filter.tenantId),
    )
    count += row?.count ?? 0
  }
  return count
}
