import type { getLayout as getContract, listLayouts as listContract } from '@notify/contracts'
import { orderById, page } from '@notify/database'
import type { Handler } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import { describeLayout, describeWholeLayout, requireLayout } from './describe-layout.ts'
import { findLayout, listLayoutRows } from './layout-store.ts'

export const getLayout: Handler<Context, typeof getContract> = async ({ db }, { params, principal }) =>
  describeWholeLayout(requireLayout(await findLayout(db.run, principal.tenant_id, params.layout_id)))

/** The layouts of the operator's tenant, without their texts. */
export const listLayouts: Handler<Context, typeof listContract> = async ({ db }, request) => {
  const { tenant_id: tenantId } = request.principal
  const { items, next_cursor } = await page(request, orderById('lay'), (after, limit) =>
    listLayoutRows(db.run, { tenantId, after, limit }),
  )
  return { items: items.map((row) => ({ ...describeLayout(row), locales: row.locales })), next_cursor }
}
