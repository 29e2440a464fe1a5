import type { ApiRequest, listApiRequests as contract } from '@notify/contracts'
import { orderById, page } from '@notify/database'
import type { Handler } from '@notify/service-kit'
import type { RouteContext } from '../context.ts'
import { requireApplication } from '../keys/key-of-application.ts'
import { countedRequests, listRequestRows, type RequestFilter, type RequestRow } from './request-store.ts'

/** The requests with the keys of an application of the operator's tenant. */
export const listRequests: Handler<RouteContext, typeof contract> = async ({ db }, request) => {
  const { params, principal, query } = request
  const [tenantId, applicationId] = [principal.tenant_id, params.application_id]
  await requireApplication(db.run, tenantId, applicationId)
  const { limit: _, cursor: _cursor, ...filters } = query
  const filter: RequestFilter = { tenantId, applicationId, ...filters }
  const { items, next_cursor } = await page(request, orderById('req'), (after, limit) =>
    listRequestRows(db.run, filter, { after, limit }),
  )
  return { items: items.map(describe), next_cursor, not_stored: await countedRequests(db.run, filter) }
}

const describe = ({
  request_id,
  requested_at,
  key_id,
  method,
  path,
  status,
  code,
  duration_ms,
}: RequestRow): ApiRequest => ({
  ...{ request_id, requested_at: requested_at.toISOString(), key_id, method, path, status, code, duration_ms },
})
