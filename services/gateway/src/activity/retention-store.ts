import { deletionById, endedBefore, type Queries } from '@notify/database'
import { sql } from 'kysely'
import { build } from '../db/schema.ts'
import { kindOf } from './kind-sql.ts'

const bucketBatch = 5000
const retryBatch = 1000

/** Deletes older items, of which triggers count down. */
export const createItemDeletion = deletionById({ table: 'activity', id: 'id', prefixes: ['notif', 'otp'] })

/**
 * Deletes the counters of times that have no items left. A skip scan of the primary key finds the old ones: with an index over the
 * counts, no update of a counter would be HOT.
 */
export async function deleteEmptyBuckets(db: Queries, olderThanMs: number): Promise<boolean> {
  const before = await endedBefore(db, olderThanMs)
  const empty = build
    .selectFrom('activity_buckets')
    .select(sql`ctid`.as('ctid'))
    .where('count', '=', 0n)
    .where('starts_at', '<', before)
    .limit(bucketBatch)
    .forUpdate()
    .skipLocked()
  const deleted = await db.runLong(
    build.deleteFrom('activity_buckets').where(sql<boolean>`ctid = any(array(${empty}))`).returning('starts_at'),
  )
  return deleted.length === bucketBatch
}

/**
 * Marks items whose messages dispatch has deleted, of which it publishes no fact. The counters name the kinds with retryable items,
 * and the index of the kinds leads to the oldest of each.
 */
export async function endOldRetries(db: Queries, olderThanMs: number): Promise<boolean> {
  const before = await endedBefore(db, olderThanMs)
  const kinds = sql`select tenant_id, application_id, mode, channel, status, retryable from activity_totals
    where event_key = '' and retryable and count > 0`
  const old = sql`select found.id from (${kinds}) as s cross join lateral (
      select a.id from activity a where ${kindOf('a')} = ${kindOf('s')}
        and a.created_at < ${before}::timestamptz and a.updated_at < ${before}::timestamptz
      order by a.created_at limit ${retryBatch}
    ) as found limit ${retryBatch}`
  const locked = build
    .selectFrom('activity')
    .select('id')
    .where(sql<boolean>`id = any(array(${old}))`)
    .where('updated_at', '<', before)
    .orderBy('id')
    .forUpdate()
    .skipLocked()
  const ended = await db.runLong(
    build
      .updateTable('activity')
      .set({ retryable: false })
      .where(sql<boolean>`id = any(array(${locked}))`)
      .returning('id'),
  )
  return ended.length === retryBatch
}
