import { mostCounted } from '@notify/contracts'
import type { Database } from '@notify/database'
import type { Tables } from '../db/schema.ts'
import { accessPath, type Bind, dimensionsOf, rangeOf } from './access-path.ts'
import type { ActivityFilter } from './activity-filter.ts'
import { splitRange, type TimeRange } from './split-range.ts'

export interface Total {
  total: number
  /** Whether there are more, because no counter exists and so many were counted. */
  capped: boolean
}

/** Counts matches at a cost that does not grow with them: by counters, and up to `mostCounted` one by one where there are none. */
export async function countItems(db: Database<Tables>, filter: ActivityFilter): Promise<Total> {
  const { recipientIndex, eventKey, retryable, from, to } = filter
  const hasRange = from !== undefined || to !== undefined
  if (recipientIndex === undefined && !hasRange) return { total: await sumTotals(db, filter), capped: false }
  const hasBuckets = recipientIndex === undefined && eventKey === undefined && retryable === undefined
  const { days, hours, rest } = hasBuckets ? splitRange({ from, to }) : { days: [], hours: [], rest: [{ from, to }] }
  const [sum, single] = [await sumBuckets(db, filter, { days, hours }), await countSingly(db, filter, rest)]
  return single > mostCounted ? { total: sum + mostCounted, capped: true } : { total: sum + single, capped: false }
}

async function sumTotals(db: Database<Tables>, filter: ActivityFilter): Promise<number> {
  const values: unknown[] = []
  const bind: Bind = (value) => `$${values.push(value)}`
  const conditions = [`tenant_id = ${bind(filter.tenantId)}`, `event_key = ${bind(filter.eventKey ?? '')}`]
  return readSum(db, [...conditions, ...dimensionsOf(filter, bind)], 'activity_totals', values)
}

async function sumBuckets(
  db: Database<Tables>,
  filter: ActivityFilter,
  { days, hours }: { days: readonly TimeRange[]; hours: readonly TimeRange[] },
): Promise<number> {
  if (days.length + hours.length === 0) return 0
  const values: unknown[] = []
  const bind: Bind = (value) => `$${values.push(value)}`
  const { applicationId, ...dimensions } = filter
  const spans = [
    ...days.map((range) => [`width = 'day'`, ...startsIn(range, bind)]),
    ...hours.map((range) => [`width = 'hour'`, ...startsIn(range, bind)]),
  ]
  const conditions = [
    `tenant_id = ${bind(filter.tenantId)}`,
    `application_id = ${bind(applicationId ?? '')}`,
    `(${spans.map((span) => `(${span.join(' and ')})`).join(' or ')})`,
    ...dimensionsOf(dimensions, bind),
  ]
  return readSum(db, conditions, 'activity_buckets', values)
}

function startsIn({ from, to }: TimeRange, bind: Bind): string[] {
  return [
    ...(from ? [`starts_at >= ${bind(from)}::timestamptz`] : []),
    ...(to ? [`starts_at < ${bind(to)}::timestamptz`] : []),
  ]
}

async function readSum(
  db: Database<Tables>,
  conditions: readonly string[],
  table: 'activity_totals' | 'activity_buckets',
  values: readonly unknown[],
): Promise<number> {
  const text = `select coalesce(sum(count), 0)::float8 as total from ${table} where ${conditions.join(' and ')}`
  const [row] = await db.run<{ total: number }>(text, values)
  return row?.total ?? 0
}

/** Counts up to one more than `mostCounted`. */
async function countSingly(
  db: Database<Tables>,
  filter: ActivityFilter,
  ranges: readonly TimeRange[],
): Promise<number> {
  let count = 0
  for (const range of ranges) {
    const values: unknown[] = []
    const bind: Bind = (value) => `$${values.push(value)}`
    const { sources = 'select', conditions } = accessPath(filter, bind)
    const most = bind(mostCounted + 1 - count)
    const where = [...conditions, ...rangeOf(range, bind)].join(' and ')
    const [row] = await db.run<{ count: number }>(
      `select count(*)::int as count from (
         select from (${sources}) as s cross join lateral (select from activity a where ${where} limit ${most}) as found
         limit ${most}) as counted`,
      values,
    )
    count += row?.count ?? 0
  }
  return count
}
