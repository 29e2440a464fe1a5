import type { ActivityStatus, Channel, Id, KeyMode } from '@notify/contracts'
import { claimDueSql, type Queries, type Run, requireRoom } from '@notify/database'
import type { Bind } from '../activity/access-path.ts'
import type { ActivityFilter } from '../activity/activity-filter.ts'
import { pageSql } from '../activity/item-store.ts'
import { build } from '../db/schema.ts'

/** The filters of a job as they are stored; a recipient only by its blind index and masked. */
export interface StoredFilters {
  channel?: Channel | undefined
  status?: ActivityStatus | undefined
  application_id?: string | undefined
  event_key?: string | undefined
  mode?: KeyMode | undefined
  recipient_index?: string | undefined
  recipient_masked?: string | undefined
  from?: string | undefined
  to?: string | undefined
}

export interface RetryJobRow {
  id: string
  tenant_id: string
  requested_by: string
  filters: StoredFilters
  count: number
  count_capped: boolean
  processed: number
  retried: number
  skipped: number
  reached_at: Date | null
  reached_id: string | null
  page: string[] | null
  claims: number
  cancelled: boolean
  created_at: Date
  finished_at: Date | null
  /** Whether an earlier job of the tenant is under way. */
  behind: boolean
}

const isBehind = `exists (select from retry_jobs earlier
  where earlier.tenant_id = retry_jobs.tenant_id and earlier.finished_at is null and earlier.id < retry_jobs.id)`

/** @throws Problem `retry_job_limit_reached`; finished and cancelled jobs do not count */
export function requireRoomForRetryJob(run: Run, tenantId: Id<'ten'>, most: number): Promise<void> {
  const rows = build
    .selectFrom('retry_jobs')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('finished_at', 'is', null)
  const [code, what] = ['retry_job_limit_reached', 'unfinished retry jobs of a tenant'] as const
  return requireRoom(run, { code, what, rows, owner: [tenantId], most })
}

export type NewRetryJob = Pick<RetryJobRow, 'id' | 'tenant_id' | 'requested_by' | 'filters' | 'count' | 'count_capped'>

export async function insertRetryJob(run: Run, job: NewRetryJob): Promise<void> {
  await run(
    `insert into retry_jobs (id, tenant_id, requested_by, filters, count, count_capped, next_at)
     values ($1, $2, $3, $4, $5, $6, now())`,
    [job.id, job.tenant_id, job.requested_by, JSON.stringify(job.filters), job.count, job.count_capped],
  )
}

export async function findRetryJob(run: Run, tenantId: string, id: string): Promise<RetryJobRow | undefined> {
  const [row] = await run<RetryJobRow>(
    `select *, finished_at is null and ${isBehind} as behind from retry_jobs where id = $1 and tenant_id = $2`,
    [id, tenantId],
  )
  return row
}

export function listRetryJobRows(
  run: Run,
  { tenantId, after, limit }: { tenantId: string; after: string | undefined; limit: number },
): Promise<RetryJobRow[]> {
  return run<RetryJobRow>(
    `select *, finished_at is null and ${isBehind} as behind from retry_jobs
     where tenant_id = $1 and ($2::text is null or id < $2) order by id desc limit $3`,
    [tenantId, after ?? null, limit],
  )
}

/** Ends a job that is not finished. What is under way is completed and counted. @returns whether it was */
export async function cancelJob(run: Run, tenantId: string, id: string): Promise<boolean> {
  const text = `update retry_jobs set cancelled = true, finished_at = now(), next_at = null
    where id = $1 and tenant_id = $2 and finished_at is null returning 1`
  return (await run(text, [id, tenantId])).length > 0
}

const claim = claimDueSql(
  { table: 'retry_jobs', key: ['id'], due: 'next_at', where: `not ${isBehind}`, set: 'claims = claims + 1' },
  { limit: 4, leaseMs: '$1' },
)

/** Claims the jobs that are due, of each tenant the earliest. */
export function claimRetryJobs(db: Queries, leaseMs: number): Promise<RetryJobRow[]> {
  return db.run<RetryJobRow>({ name: 'claim-retry-jobs', text: `${claim} select *, false as behind from claimed` }, [
    leaseMs,
  ])
}

/**
 * Stores the next items of a job as under way. Items are visited once, from the newest that was there when the job was made.
 * @returns undefined when the job is finished, cancelled or claimed by another worker
 */
export function openPage(
  db: Queries,
  job: RetryJobRow,
  filter: ActivityFilter,
  limit: number,
): Promise<string[] | undefined> {
  return db.transaction(async (run) => {
    const [held] = await run<RetryJobRow>(
      'select * from retry_jobs where id = $1 and claims = $2 and finished_at is null for update',
      [job.id, job.claims],
    )
    if (!held) return undefined
    if (held.page) return held.page
    const values: unknown[] = []
    const bind: Bind = (value) => `$${values.push(value)}`
    const after = held.reached_id ? { createdAt: held.reached_at!.toISOString(), id: held.reached_id } : undefined
    const found = await run<{ id: string; created_at: Date }>(pageSql(filter, { after, limit }, bind), values)
    const last = found.at(-1)
    const page = found.map(({ id }) => id)
    await run(
      `update retry_jobs set page = $2, reached_at = coalesce($3, reached_at), reached_id = coalesce($4, reached_id),
         finished_at = case when $5 then now() end, next_at = case when not $5 then next_at end
       where id = $1`,
      [job.id, last ? page : null, last?.created_at ?? null, last?.id ?? null, !last],
    )
    return last ? page : undefined
  })
}

/** Counts the items of a page, once, and makes the job due again. */
export async function closePage(
  db: Queries,
  { id, claims }: RetryJobRow,
  { retried, skipped }: { retried: number; skipped: number },
  againInMs: number,
): Promise<void> {
  await db.run(
    `update retry_jobs set page = null, retried = retried + $3, skipped = skipped + $4, processed = processed + $3 + $4,
       next_at = case when finished_at is null then now() + $5 * interval '1 millisecond' end
     where id = $1 and claims = $2 and page is not null`,
    [id, claims, retried, skipped, againInMs],
  )
}

/** Makes the job due again with the same page. */
export async function putBack(db: Queries, { id, claims }: RetryJobRow, againInMs: number): Promise<void> {
  await db.run(
    `update retry_jobs set next_at = now() + $3 * interval '1 millisecond'
     where id = $1 and claims = $2 and finished_at is null`,
    [id, claims, againInMs],
  )
}
