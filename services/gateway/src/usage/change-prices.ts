import type { getPrices as getContract, putPrices as putContract } from '@notify/contracts'
import { auditEntry } from '@notify/database'
import type { Handler } from '@notify/service-kit'
import { appendAuditEntry } from '../audit/audit-store.ts'
import type { RouteContext } from '../context.ts'
import { build } from '../db/schema.ts'
import { readPrices, replacePrices } from './price-store.ts'

export const getPrices: Handler<RouteContext, typeof getContract> = ({ db }, { principal }) =>
  readPrices(db.run, principal.tenant_id)

export const putPrices: Handler<RouteContext, typeof putContract> = ({ db }, request) => {
  const { body, principal } = request
  return db.transaction(async (run) => {
    // Two changes at once follow each other.
    await run(build.selectFrom('tenants').select('id').where('id', '=', principal.tenant_id).forUpdate())
    const before = await readPrices(run, principal.tenant_id)
    await replacePrices(run, principal.tenant_id, body)
    const after = await readPrices(run, principal.tenant_id)
    const change = { request, action: 'price_list.changed', resourceId: principal.tenant_id, before, after }
    const entry = auditEntry(change)
    if (entry) await appendAuditEntry(run, entry)
    return after
  })
}
