import { cast, column, type Queries } from '@notify/database'
import { sql } from 'kysely'
import { build } from '../db/schema.ts'
import { dimensionsOf } from './access-path.ts'
import type { ActivityFilter } from './activity-filter.ts'

export type SummaryFilter = Omit<
  ActivityFilter,
  'from' | 'to' | 'recipientIndex' | 'eventKey' | 'retryable' | 'locale' | 'broadcastId' | 'digestId'
> & {
  width: 'hour' | 'day'
  from: Date
  to: Date
}

/** The counters of a range of buckets, in the order of time. Both modes are added up unless the filter names one. */
export function listBuckets(db: Queries, { tenantId, applicationId, width, from, to, ...dimensions }: SummaryFilter) {
  const shown = ['starts_at', 'channel', 'status'] as const
  const inRange = build
    .selectFrom('activity_buckets')
    .select([...shown, cast(column.double(), sql`sum(count)`).as('count')])
    .where('tenant_id', '=', tenantId)
    .where('application_id', '=', applicationId ?? '')
    .where('width', '=', width)
    .where('starts_at', '>=', from)
    .where('starts_at', '<', to)
  return db.run(
    dimensionsOf(dimensions)
      .reduce((rows, condition) => rows.where(condition), inRange)
      .groupBy(shown)
      .having(({ fn }) => fn.sum('count'), '>', 0)
      .orderBy('starts_at')
      .orderBy('channel')
      .orderBy('status'),
  )
}
