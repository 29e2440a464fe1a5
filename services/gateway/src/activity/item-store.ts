import type { ActivityItem, Id } from '@notify/contracts'
import type { Queries, Run } from '@notify/database'
import { recipientTag } from '@notify/privacy'
import { type RawBuilder, sql } from 'kysely'
import { build } from '../db/schema.ts'
import { type AccessPath, accessPath, all, rangeOf } from './access-path.ts'
import type { ActivityFilter } from './activity-filter.ts'

export interface ActivityRow extends Omit<ActivityItem, 'created_at' | 'recipient_tag'> {
  created_at: Date
  recipient_index: string
  credits: number | null
}

/** An item as operators see it. */
export function describeItem({ recipient_index, created_at, credits: _, ...row }: ActivityRow): ActivityItem {
  return { ...row, recipient_tag: recipientTag(recipient_index), created_at: created_at.toISOString() }
}

/** Items as they are shown. */
const items = build
  .selectFrom('activity as a')
  .leftJoin('applications as p', 'p.id', 'a.application_id')
  .select(({ fn, ref }) => [
    'a.id as transaction_id',
    fn.coalesce(ref('p.name'), ref('a.application_id')).as('application_name'),
    ...(['a.channel', 'a.recipient_masked', 'a.status', 'a.failure_reason', 'a.created_at'] as const),
    ...([
      'a.retryable',
      'a.retry_count',
      'a.mode',
      'a.locale',
      'a.requested_locale',
      'a.broadcast_id',
      'a.digest_id',
    ] as const),
    ...(['a.event_key', 'a.recipient_index', 'a.credits'] as const),
  ])

/** One item of a tenant. */
export async function findItem(db: Queries, tenantId: Id<'ten'>, id: string) {
  const [row] = await db.run(
    items.select(['a.application_id', 'a.updated_at']).where('a.id', '=', id).where('a.tenant_id', '=', tenantId),
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
export function listItems(db: Queries, filter: ActivityFilter, page: Page): Promise<ActivityRow[]> {
  const { conditions, compared, ...path } = accessPath(filter)
  const wanted = pageSql({ ...path, conditions: [...conditions, ...compared, ...rangeOf(filter)] }, page)
  return db.run(
    items
      .innerJoin(wanted.as('page'), (join) => join.onRef('page.id', '=', 'a.id'))
      .where('a.tenant_id', '=', filter.tenantId)
      .orderBy('page.created_at', 'desc')
      .orderBy('page.id', 'desc'),
  )
}

/** Items that are read at once to find wanted ones among them. */
const mostExamined = 1000

/**
 * The next items of an index's ranges, newest first, and whether the filter wants them: however few it wants, it costs the same.
 * @param run of a transaction
 */
export async function examineItems(run: Run, filter: ActivityFilter, { after, limit }: Omit<Page, 'offset'>) {
  const { conditions, compared, ...path } = accessPath(filter)
  const most = compared.length === 0 ? limit : Math.max(limit, mostExamined)
  const isWanted = sql<boolean>`(${all([sql<boolean>`a.tenant_id = ${filter.tenantId}`, ...compared])}) is true`
  const examined = pageSql(
    { ...path, conditions: [...conditions, ...rangeOf(filter)], isWanted },
    { after, limit: most },
  )
  // A bitmap scan reads a whole range, of which the first items are enough.
  await run('set local enable_bitmapscan = off')
  return run(build.selectFrom(examined.as('page')).selectAll())
}

/** A subquery for the items of a page, newest first. */
function pageSql(
  { sources, conditions, isWanted = sql`true` }: Omit<AccessPath, 'compared'> & { isWanted?: RawBuilder<unknown> },
  { after, offset = 0, limit }: Page,
): RawBuilder<{ id: string; created_at: Date; is_wanted: boolean }> {
  const where = all([
    ...conditions,
    ...(after ? [sql<boolean>`(a.created_at, a.id) < (${after.createdAt}::timestamptz, ${after.id})`] : []),
  ])
  const most = offset + limit
  const newest = (count: number) =>
    sql`select a.created_at, a.id, ${isWanted} as is_wanted from activity a where ${where}
      order by a.created_at desc, a.id desc limit ${count}`
  const ofPage = sql`order by created_at desc, id desc limit ${limit} offset ${offset}`
  if (!sources) return sql`(select * from (${newest(most)}) as found ${ofPage})`
  // Only the ranges with the newest heads can have rows on the page, so at most as many ranges as the page has rows are read.
  return sql`(
    select found.* from (
      select s.* from (${sources}) as s cross join lateral (${newest(1)}) as head
      order by head.created_at desc, head.id desc limit ${most}
    ) as s cross join lateral (${newest(most)}) as found ${ofPage})`
}
