import type { getRetryJob, listRetryJobs } from '@notify/contracts'
import { orderById, page } from '@notify/database'
import { type Handler, Problem } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { describeRetry } from './describe-retry.ts'
import { findRetryJob, listRetryJobRows } from './retry-store.ts'

/** The jobs of the operator's tenant. */
export const listRetries: Handler<Context, typeof listRetryJobs> = async ({ db }, request) => {
  const tenantId = request.principal.tenant_id
  const { items, next_cursor } = await page(request, orderById('retry'), (after, limit) =>
    listRetryJobRows(db.run, { tenantId, after, limit }),
  )
  return { items: items.map(describeRetry), next_cursor }
}

/** A job of the operator's tenant. */
export const getRetry: Handler<Context, typeof getRetryJob> = async ({ db }, { params, principal }) => {
  const row = await findRetryJob(db.run, principal.tenant_id, params.retry_id)
  if (!row) throw noSuchRetry()
  return describeRetry(row)
}

export function noSuchRetry(): Problem {
  return new Problem('not_found', 'No retry job has this id')
}
