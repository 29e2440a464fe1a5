import { type OperatorPrincipal, retryActivity } from '@notify/contracts'
import { type Kit, type Periodic, Problem, startPeriodic, withLogFields } from '@notify/service-kit'
import { setNotRetryable } from '../activity/activity-store.ts'
import type { Context } from '../context.ts'
import { claimRetryJobs, retryJobsDueInMs } from './claim-retry-jobs.ts'
import { filterOf } from './create-retry.ts'
import type { RetryJobRow } from './retry-job.ts'
import { closePage, openPage, putBack } from './retry-store.ts'

const everyMs = 5000
const atLeastMs = 500
/** Longer than a page takes; should it take longer, another worker repeats it with the same keys. */
const leaseMs = 60_000
const pageMs = 1000
const putBackMs = 5000
const callers = 8
const timeoutMs = 5000

/** Works on jobs of retries: of each tenant one at a time, a second's worth at once. Safe in any number of replicas. */
export function startRetries(kit: Kit, context: Context): Periodic {
  return startPeriodic(kit, {
    name: 'activity retries',
    everyMs,
    atLeastMs,
    async run() {
      const dueInMs = await retryJobsDueInMs(context.db)
      if (dueInMs > 0) return dueInMs
      const jobs = await claimRetryJobs(context.db, leaseMs)
      await Promise.all(jobs.map((job) => withLogFields({ tenant_id: job.tenant_id }, () => workOn(context, job))))
      return 0
    },
  })
}

async function workOn(context: Context, job: RetryJobRow): Promise<void> {
  const { db, config } = context
  const startedMs = performance.now()
  const filter = filterOf(job.tenant_id, job.filters, job.created_at)
  try {
    const page = await openPage(db, job, filter, config.ACTIVITY_RETRY_RATE)
    if (!page) return
    const counts = await retryAll(context, job, page)
    await closePage(db, job, counts, Math.max(0, pageMs - (performance.now() - startedMs)))
  } catch (error) {
    context.log.warn({ retry_id: job.id, err: error }, 'retries interrupted; they will be repeated')
    await putBack(db, job, putBackMs)
  }
}

/** Refused items are skipped; a fault ends the page, which is repeated as a whole. */
async function retryAll(
  context: Context,
  job: RetryJobRow,
  page: readonly string[],
): Promise<{ retried: number; skipped: number }> {
  const principal = await context.signPrincipal(requesterOf(job))
  const left = page[Symbol.iterator]()
  let retried = 0
  const work = async () => {
    for (const id of left) if (await retryOne(context, principal, job, id)) retried++
  }
  await Promise.all(Array.from({ length: callers }, work))
  context.metrics.retried(retried)
  return { retried, skipped: page.length - retried }
}

/** The operator that made the job, with no more permissions than it takes. */
function requesterOf({ id, requested_by: subject, tenant_id }: RetryJobRow): OperatorPrincipal {
  return {
    kind: 'operator',
    subject,
    tenant_id: tenant_id as `ten_${string}`,
    permissions: ['activity:retry'],
    retry_job: id as `retry_${string}`,
  }
}

/** Under the key of its job, an item is retried once however often it is asked for. @returns whether it was */
async function retryOne(
  { db, dispatch }: Context,
  principal: string,
  job: Pick<RetryJobRow, 'id' | 'tenant_id'>,
  id: string,
): Promise<boolean> {
  try {
    await dispatch.exchange(retryActivity, {
      params: { id },
      principal,
      headers: { 'idempotency-key': job.id },
      timeoutMs,
    })
    return true
  } catch (error) {
    if (!(error instanceof Problem && refusals.includes(error.code))) throw error
    if (error.code === 'not_found') await setNotRetryable(db, job.tenant_id, id)
    return false
  }
}

const refusals: readonly string[] = ['not_retryable', 'retry_in_progress', 'not_found']
