import type { Id } from '@notify/contracts'
import { cast, column, type Queries, type Run, requireRoom } from '@notify/database'
import { sql } from 'kysely'
import type { ActivityFilter } from '../activity/activity-filter.ts'
import { examineItems } from '../activity/item-store.ts'
import { build } from '../db/schema.ts'
import { isBehind, type RetryJobRow } from './retry-job.ts'

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

export async function insertRetryJob(run: Run, { filters, ...job }: NewRetryJob): Promise<void> {
  const due = { filters: JSON.stringify(filters), next_at: sql<Date>`now()` }
  await run(build.insertInto('retry_jobs').values({ ...job, ...due }))
}

/** The jobs of a tenant. */
const jobsOf = (tenantId: Id<'ten'>) =>
  build
    .selectFrom('retry_jobs as job')
    .selectAll('job')
    .select(cast(column.boolean(), sql`finished_at is null and ${sql.raw(isBehind('job'))}`).as('behind'))
    .where('tenant_id', '=', tenantId)

export async function findRetryJob(run: Run, tenantId: Id<'ten'>, id: Id<'retry'>): Promise<RetryJobRow | undefined> {
  const [row] = await run(jobsOf(tenantId).where('id', '=', id))
  return row
}

export function listRetryJobRows(
  run: Run,
  { tenantId, after, limit }: { tenantId: Id<'ten'>; after: Id<'retry'> | undefined; limit: number },
): Promise<RetryJobRow[]> {
  const jobs = jobsOf(tenantId).orderBy('id', 'desc').limit(limit)
  return run(after === undefined ? jobs : jobs.where('id', '<', after))
}

/** Ends a job that is not finished. What is under way is completed and counted. @returns whether it was */
export async function cancelJob(run: Run, tenantId: Id<'ten'>, id: Id<'retry'>): Promise<boolean> {
  const cancelled = await run(
    build
      .updateTable('retry_jobs')
      .set({ cancelled: true, finished_at: sql<Date>`now()`, next_at: null })
      .where('id', '=', id)
      .where('tenant_id', '=', tenantId)
      .where('finished_at', 'is', null)
      .returning('id'),
  )
  return cancelled.length > 0
}

/** The job of a claim, unless it is finished, cancelled or claimed by another worker. */
const claimed = ({ id, claims }: Pick<RetryJobRow, 'id' | 'claims'>) =>
  build.updateTable('retry_jobs').where('id', '=', id).where('claims', '=', claims)

const inMs = (ms: number) => sql<Date>`now() + ${ms} * interval '1 millisecond'`

/**
 * Stores the next items of a job as under way. Items are visited once, from the newest that was there when the job was made.
 * @returns undefined when the job is finished, cancelled or claimed by another worker, or must examine more in its next round
 */
export function openPage(
  db: Queries,
  job: RetryJobRow,
  filter: ActivityFilter,
  limit: number,
): Promise<string[] | undefined> {
  return db.transaction(async (run) => {
    const [held] = await run(
      build
        .selectFrom('retry_jobs')
        .selectAll()
        .where('id', '=', job.id)
        .where('claims', '=', job.claims)
        .where('finished_at', 'is', null)
        .forUpdate(),
    )
    if (!held) return undefined
    if (held.page) return held.page
    const after = held.reached_id ? { createdAt: held.reached_at!.toISOString(), id: held.reached_id } : undefined
    const found = await examineItems(run, filter, { after, limit })
    const wanted = found.filter(({ is_wanted }) => is_wanted).slice(0, limit)
    const page = wanted.length > 0 ? wanted.map(({ id }) => id) : null
    const last = wanted.length === limit ? wanted.at(-1) : found.at(-1)
    const state = last
      ? { page, reached_at: last.created_at, reached_id: last.id, ...(page ? {} : { next_at: sql<Date>`now()` }) }
      : { page, finished_at: sql<Date>`now()`, next_at: null }
    await run(build.updateTable('retry_jobs').set(state).where('id', '=', job.id))
    return page ?? undefined
  })
}

/** Counts the items of a page, once, and makes the job due again. */
export async function closePage(
  db: Queries,
  job: RetryJobRow,
  { retried, skipped }: { retried: number; skipped: number },
  againInMs: number,
): Promise<void> {
  await db.run(
    claimed(job)
      .set(({ eb }) => ({
        page: null,
        retried: eb('retried', '+', retried),
        skipped: eb('skipped', '+', skipped),
        processed: eb('processed', '+', retried + skipped),
        next_at: sql`case when finished_at is null then ${inMs(againInMs)} end`,
      }))
      .where('page', 'is not', null),
  )
}

/** Makes the job due again with the same page. */
export async function putBack(db: Queries, job: RetryJobRow, againInMs: number): Promise<void> {
  await db.run(
    claimed(job)
      .set({ next_at: inMs(againInMs) })
      .where('finished_at', 'is', null),
  )
}
