import { claimDueSql, column, defineStatement, dueInColumns, dueInSql, type Queries } from '@notify/database'
import { tables } from '../db/schema.ts'
import { isBehind, type RetryJobRow } from './retry-job.ts'

const due = {
  table: 'retry_jobs',
  key: ['id'],
  due: 'next_at',
  where: `not ${isBehind('retry_jobs')}`,
  set: 'claims = claims + 1',
}

const look = defineStatement({ name: 'look-due-retry-jobs', text: dueInSql(due), columns: dueInColumns })

/** Milliseconds until a job is due. */
export async function retryJobsDueInMs(db: Queries): Promise<number> {
  const [row] = await db.run(look)
  return row!.due_in_ms
}

const claim = defineStatement({
  name: 'claim-retry-jobs',
  text: `${claimDueSql(due, { limit: 4, leaseMs: '$1' })} select *, false as behind from claimed`,
  columns: { ...tables.retry_jobs, behind: column.boolean() },
})

/** Claims the jobs that are due, of each tenant the earliest. */
export function claimRetryJobs(db: Queries, leaseMs: number): Promise<RetryJobRow[]> {
  return db.run(claim, [leaseMs])
}
