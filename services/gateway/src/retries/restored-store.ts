import type { Queries, Restored } from '@notify/database'

/** A finished job has no next time, so `next_at` leads to the others. */
const unfinished = `finished_at is null and next_at is not null and created_at <= $1::timestamptz
  and ($2::timestamptz is null or created_at < $2::timestamptz) and ($3::text is null or tenant_id = $3)`

const valuesOf = ({ sent_until, created_before, tenant }: Restored) => [sent_until, created_before, tenant]

export function countRestoredJobs(db: Queries, restored: Restored): Promise<object[]> {
  return db.run(
    `select tenant_id, id, created_at, count as items, processed from retry_jobs where ${unfinished} order by id`,
    valuesOf(restored),
  )
}

/** @returns how many were cancelled */
export async function cancelRestoredJobs(db: Queries, restored: Restored): Promise<number> {
  const text = `update retry_jobs set cancelled = true, finished_at = now(), next_at = null, page = null
    where ${unfinished} returning 1`
  return (await db.run(text, valuesOf(restored))).length
}
