import { type listTemplates as contract, idSchema } from '@notify/contracts'
import { type Handler, Problem } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { describeTemplate } from './describe-template.ts'
import { listTemplateRows } from './template-store.ts'

/** The templates of the operator's tenant, without their texts. */
export const listTemplates: Handler<Context, typeof contract> = async ({ db }, { query, principal }) => {
  const { limit, cursor } = query
  const before = cursor === undefined ? null : readCursor(cursor)
  const rows = await listTemplateRows(db.run, { tenantId: principal.tenant_id, before, limit: limit + 1 })
  const shown = rows.slice(0, limit)
  return {
    items: shown.map((row) => ({ ...describeTemplate(row), channels: row.channels })),
    next_cursor: rows.length > limit ? (shown.at(-1)?.id ?? null) : null,
  }
}

/** The place in the list is the last identifier of the page before: identifiers ascend with time. */
function readCursor(cursor: string): string {
  const id = idSchema('tmpl').safeParse(cursor)
  if (id.success) return id.data
  throw new Problem('validation_failed', 'cursor is not one that this API gave', {
    errors: [{ path: 'cursor', message: 'must be the next_cursor of an earlier answer' }],
  })
}
