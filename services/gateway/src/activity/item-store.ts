import type { ActivityItem } from '@notify/contracts'
import type { Database } from '@notify/database'
import type { Tables } from '../db/schema.ts'
import { type AccessPath, accessPath, type Bind, rangeOf } from './access-path.ts'
import type { ActivityFilter } from './activity-filter.ts'

export interface ActivityRow extends Omit<ActivityItem, 'created_at'> {
  created_at: Date
}

export interface DetailRow extends ActivityRow {
  application_id: `app_${string}`
  event_key: string | null
  updated_at: Date
}

const shown = `a.id as transaction_id, coalesce(p.name, a.application_id) as application_name, a.channel, a.recipient_masked,
  a.status, a.failure_reason, a.created_at, a.retryable, a.retry_count, a.mode`

/** One item of a tenant. */
export async function findItem(db: Database<Tables>, tenantId: string, id: string): Promise<DetailRow | undefined> {
  const [row] = await db.run<DetailRow>(
    `select ${shown}, a.application_id, a.event_key, a.updated_at
     from activity a left join applications p on p.id = a.application_id where a.id = $1 and a.tenant_id = $2`,
    [id, tenantId],
  )
  return row
}

/** The position after which a page starts. */
export interface Position {
  createdAt: string
  id: string
}

interface Page {
  after?: Position | undefined
  offset?: number
  limit: number
}

/**
 * A page of the activity, newest first; without `offset` it costs the same at any depth and number of items. Each combination
 * of filters has its own statement and plan.
 */
export function listItems(db: Database<Tables>, filter: ActivityFilter, page: Page): Promise<ActivityRow[]> {
  const values: unknown[] = []
  const bind: Bind = (value) => `$${values.push(value)}`
  return db.run<ActivityRow>(
    `with page as (${pageSql(filter, page, bind)})
     select ${shown}
     from page join activity a on a.id = page.id and a.tenant_id = ${bind(filter.tenantId)}
     left join applications p on p.id = a.application_id
     order by page.created_at desc, page.id desc`,
    values,
  )
}

/** SQL for the `id` and `created_at` of the items of a page. */
export function pageSql(filter: ActivityFilter, { after, offset = 0, limit }: Page, bind: Bind): string {
  const { sources, conditions }: AccessPath = accessPath(filter, bind)
  const where = [
    ...conditions,
    ...rangeOf(filter, bind),
    ...(after ? [`(a.created_at, a.id) < (${bind(after.createdAt)}::timestamptz, ${bind(after.id)})`] : []),
  ].join(' and ')
  const newest = (most: string) =>
    `select a.created_at, a.id from activity a where ${where} order by a.created_at desc, a.id desc limit ${most}`
  const ofPage = `order by created_at desc, id desc limit ${bind(limit)} offset ${bind(offset)}`
  if (!sources) return `select * from (${newest(bind(offset + limit))}) as found ${ofPage}`
  // Only the ranges with the newest heads can have rows on the page, so at most as many ranges as the page has rows are read.
  const most = bind(offset + limit)
  return `
    select found.created_at, found.id from (
      select s.* from (${sources}) as s cross join lateral (${newest('1')}) as head
      order by head.created_at desc, head.id desc limit ${most}
    ) as s cross join lateral (${newest(most)}) as found ${ofPage}`
}
