import type { listTemplates as contract } from '@notify/contracts'
import { orderById, page } from '@notify/database'
import type { Handler } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import { describeTemplate } from './describe-template.ts'
import { listTemplateRows } from './template-store.ts'

/** The templates of the operator's tenant, without content. */
export const listTemplates: Handler<Context, typeof contract> = async ({ db }, request) => {
  const { tenant_id: tenantId } = request.principal
  const { items, next_cursor } = await page(request, orderById('tmpl'), (after, limit) =>
    listTemplateRows(db.run, { tenantId, after, limit }),
  )
  return { items: items.map((row) => ({ ...describeTemplate(row), channels: row.channels })), next_cursor }
}
