import type { cancelRetryJob as contract } from '@notify/contracts'
import { auditEntry, idempotent } from '@notify/database'
import { type Handler, Problem, Reply } from '@notify/service-kit'
import { appendAuditEntry } from '../audit/audit-store.ts'
import type { Context } from '../context.ts'
import { describeRetry } from './describe-retry.ts'
import { noSuchRetry } from './read-retries.ts'
import { cancelJob, findRetryJob } from './retry-store.ts'

/** Stops a job. Items that are under way at this moment are still retried. */
export const cancelRetry: Handler<Context, typeof contract> = idempotent({
  async effect(_context, request, run) {
    const { tenant_id } = request.principal
    const id = request.params.retry_id
    const before = await findRetryJob(run, tenant_id, id)
    if (!before) throw noSuchRetry()
    if (!(await cancelJob(run, tenant_id, id))) {
      throw new Problem('not_cancellable', `The job is already ${describeRetry(before).status}`)
    }
    const after = describeRetry((await findRetryJob(run, tenant_id, id))!)
    const change = { before: describeRetry(before), after }
    const entry = auditEntry({ request, action: 'activity_retry.cancelled', resourceId: id, ...change })
    if (entry) await appendAuditEntry(run, entry)
    return new Reply(200, JSON.stringify(after))
  },
})
