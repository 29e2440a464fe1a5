import type { Queries, Restored } from '@notify/database'
import { sql } from 'kysely'
import { build } from '../db/schema.ts'

/** A finished job has no next time, so `next_at` leads to the others. */
const isUnfinished = ({ sent_until, created_before, tenant }: Restored) =>
  sql<boolean>`finished_at is null and next_at is not null and created_at <= ${sent_until}::timestamptz
    and (${created_before}::timestamptz is null or created_at < ${created_before}::timestamptz)
    and (${tenant}::text is null or tenant_id = ${tenant})`

export function countRestoredJobs(db: Queries, restored: Restored): Promise<object[]> {
  return db.run(
    build
      .selectFrom('retry_jobs')
      .select(['tenant_id', 'id', 'created_at', 'count as items', 'processed'])
      .where(isUnfinished(restored))
      .orderBy('id'),
  )
}

/** @returns how many were cancelled */
export async function cancelRestoredJobs(db: Queries, restored: Restored): Promise<number> {
  const cancelled = { cancelled: true, finished_at: sql<Date>`now()`, next_at: null, page: null }
  const jobs = build.updateTable('retry_jobs').set(cancelled).where(isUnfinished(restored)).returning('id')
  return (await db.run(jobs)).length
}
