import { createHash } from 'node:crypto'
import type { getPrices as getContract, PriceList, putPrices as putContract, StoredPriceList } from '@notify/contracts'
import { auditEntry } from '@notify/database'
import { type Handler, Problem } from '@notify/service-kit'
import { appendAuditEntry } from '../audit/audit-store.ts'
import type { RouteContext } from '../context.ts'
import { build } from '../db/schema.ts'
import { readPrices, replacePrices } from './price-store.ts'

export const getPrices: Handler<RouteContext, typeof getContract> = async ({ db }, { principal }) =>
  withVersion(await readPrices(db.run, principal.tenant_id))

export const putPrices: Handler<RouteContext, typeof putContract> = ({ db }, request) => {
  const { body, principal, query } = request
  return db.transaction(async (run) => {
    // Two changes at once follow each other.
    await run(build.selectFrom('tenants').select('id').where('id', '=', principal.tenant_id).forUpdate())
    const before = await readPrices(run, principal.tenant_id)
    requireVersion(before, query.expected_version)
    await replacePrices(run, principal.tenant_id, body)
    const after = await readPrices(run, principal.tenant_id)
    const change = { request, action: 'price_list.changed', resourceId: principal.tenant_id, before, after }
    const entry = auditEntry(change)
    if (entry) await appendAuditEntry(run, entry)
    return withVersion(after)
  })
}

/** An empty list has no row that could hold a version, so the version is a digest of the list. */
function withVersion(list: PriceList): StoredPriceList {
  return { version: createHash('sha256').update(JSON.stringify(list)).digest('base64url').slice(0, 16), ...list }
}

function requireVersion(list: PriceList, expected: string | undefined): void {
  const { version } = withVersion(list)
  if (expected === undefined || expected === version) return
  throw new Problem('edit_conflict', `The price list has version ${version}, not ${expected}`)
}
