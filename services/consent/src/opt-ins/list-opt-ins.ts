import type { listOptIns as contract } from '@notify/contracts'
import { orderById, page } from '@notify/database'
import type { Handler } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { describeEntry } from '../ledger/entry-details.ts'
import { listEntries } from '../ledger/ledger-store.ts'
import { modeOf } from './caller-mode.ts'

/** The ledger of the caller's tenant. */
export const listOptIns: Handler<Context, typeof contract> = async ({ db, secrets }, request) => {
  const scope = { tenantId: request.principal.tenant_id, mode: modeOf(request.principal) }
  const { items, next_cursor } = await page(request, orderById('optin'), (after, limit) =>
    listEntries(db.run, scope, { after, limit }),
  )
  return { items: items.map((row) => describeEntry(secrets.keyRing, row)), next_cursor }
}
