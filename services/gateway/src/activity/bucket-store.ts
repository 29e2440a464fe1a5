import type { ActivityStatus, Channel } from '@notify/contracts'
import type { Database } from '@notify/database'
import type { Tables } from '../db/schema.ts'
import { type Bind, dimensionsOf } from './access-path.ts'
import type { ActivityFilter } from './activity-filter.ts'

export type SummaryFilter = Omit<ActivityFilter, 'from' | 'to' | 'recipientIndex' | 'eventKey' | 'retryable'> & {
  width: 'hour' | 'day'
  from: Date
  to: Date
}

interface BucketRow {
  starts_at: Date
  channel: Channel
  status: ActivityStatus
  count: number
}

/** The counters of a range of buckets, in the order of time. Both modes are added up unless the filter names one. */
export function listBuckets(
  db: Database<Tables>,
  { tenantId, applicationId, width, from, to, ...dimensions }: SummaryFilter,
): Promise<BucketRow[]> {
  const values: unknown[] = []
  const bind: Bind = (value) => `$${values.push(value)}`
  const conditions = [
    `tenant_id = ${bind(tenantId)}`,
    `application_id = ${bind(applicationId ?? '')}`,
    `width = ${bind(width)}`,
    `starts_at >= ${bind(from)}::timestamptz and starts_at < ${bind(to)}::timestamptz`,
    ...dimensionsOf(dimensions, bind),
  ]
  return db.run<BucketRow>(
    `select starts_at, channel, status, sum(count)::float8 as count from activity_buckets where ${conditions.join(' and ')}
     group by starts_at, channel, status having sum(count) > 0 order by starts_at, channel, status`,
    values,
  )
}
