import { deletionById, endedBefore, type Queries } from '@notify/database'
import { sql } from 'kysely'
import { build } from '../db/schema.ts'

const bucketBatch = 5000

/** Deletes older items, of which triggers count down. */
export const createItemDeletion = deletionById({ table: 'activity', id: 'id', prefixes: ['notif', 'otp'] })

/** Deletes the counters of times that have no items left. They are few compared with the items, and all are read. */
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
    build.deleteFrom('activity_buckets').where(sql<boolean>`ctid in (${empty})`).returning('starts_at'),
  )
  return deleted.length === bucketBatch
}
