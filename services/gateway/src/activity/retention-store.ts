import { earliestId } from '@notify/contracts'
import type { Queries } from '@notify/database'
import { countsInto } from './activity-store.ts'

const itemBatch = 1000
const bucketBatch = 5000

/** Ids are in the order of time, so the primary key finds the oldest items; an array is never joined by reading the table. */
const deleteItems = `
  with old as (
    select id from activity where id >= $1 and id < $2 order by id limit ${itemBatch} for update skip locked
  ), gone as (
    delete from activity where id = any(array(select id from old))
    returning tenant_id, application_id, channel, status, -1 as change
  ), counts as (${countsInto('gone')})
  select count(*)::int as deleted from gone`

/** Deletes a batch of the items of each kind of id that are older; the counters follow. @returns whether there may be more */
export async function deleteOldItems(db: Queries, olderThanMs: number): Promise<boolean> {
  const before = Date.now() - olderThanMs
  let more = false
  for (const prefix of ['notif', 'otp'] as const) {
    const range = [earliestId(prefix, 0), earliestId(prefix, Math.max(0, before))]
    const [row] = await db.runLong<{ deleted: number }>(deleteItems, range)
    if (row?.deleted === itemBatch) more = true
  }
  return more
}

/** Deletes the counters of times of which nothing is left. They are few beside the items, and read as a whole. */
export async function deleteEmptyBuckets(db: Queries, olderThanMs: number): Promise<boolean> {
  const deleted = await db.runLong(
    `delete from activity_buckets where ctid in (
       select ctid from activity_buckets where count = 0 and starts_at < $1 limit ${bucketBatch} for update skip locked)
     returning 1`,
    [new Date(Date.now() - olderThanMs)],
  )
  return deleted.length === bucketBatch
}
