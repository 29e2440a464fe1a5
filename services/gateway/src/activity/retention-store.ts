import { earliestId } from '@notify/contracts'
import { column, defineStatement, deletionInOrder, endedBefore, type Queries } from '@notify/database'
import { sql } from 'kysely'
import { build } from '../db/schema.ts'

const itemBatch = 1000
const bucketBatch = 5000
const prefixes = ['notif', 'otp'] as const

/** Ids are in the order of time, so the primary key finds the oldest items; an array is never joined by reading the table. */
const deletePage = defineStatement({
  name: 'delete-old-activity',
  isPrepared: false,
  text: `
  with page as (
    select id from activity where id > $1 and id < $2 order by id limit ${itemBatch} for update skip locked
  ), gone as (
    delete from activity where id = any(array(select id from page)) returning 1
  )
  select count(*)::int as deleted, (select id from page order by id desc limit 1) as last from gone`,
  columns: { deleted: column.integer(), last: column.text().nullable() },
})

/** @returns a function that deletes one batch of older items, and resolves to true when there may be more; triggers count them down */
export function createItemDeletion(db: Queries): (olderThanMs: number) => Promise<boolean> {
  const deletions = prefixes.map((prefix) =>
    deletionInOrder(itemBatch, async (after: string | null, before: number) => {
      const range = [after ?? earliestId(prefix, 0), earliestId(prefix, Math.max(0, before))]
      const [row] = await db.runLong(deletePage, range)
      return row!
    }),
  )
  return async (olderThanMs) => {
    const before = (await endedBefore(db, olderThanMs)).getTime()
    let isMore = false
    for (const deleteSome of deletions) isMore = (await deleteSome(before)).more || isMore
    return isMore
  }
}

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
