import type { listDomains as contract } from '@notify/contracts'
import { orderById, page } from '@notify/database'
import type { Handler } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import { describeDomain } from './domain-records.ts'
import { listDomainRows } from './domain-store.ts'

/** The domains of the caller's tenant. */
export const listDomains: Handler<Context, typeof contract> = async ({ config, db }, request) => {
  const { tenant_id: tenantId } = request.principal
  const { items, next_cursor } = await page(request, orderById('dom'), (after, limit) =>
    listDomainRows(db.run, { tenantId, after, limit }),
  )
  return { items: items.map((row) => describeDomain(row, config.SPF_INCLUDE)), next_cursor }
}
