import type { listAuditLog as contract } from '@notify/contracts'
import { orderById, page } from '@notify/database'
import type { Handler } from '@notify/service-kit'
import type { RouteContext } from '../context.ts'
import { describeAuditEntry, listAuditRows } from './audit-store.ts'

/** The audit log of the operator's tenant. */
export const listAuditLog: Handler<RouteContext, typeof contract> = async ({ db }, request) => {
  const { query, principal } = request
  const { items, next_cursor } = await page(request, orderById('aud'), (after, limit) =>
    listAuditRows(db.run, { tenantId: principal.tenant_id, ...query }, { after, limit }),
  )
  return { items: items.map(describeAuditEntry), next_cursor }
}
