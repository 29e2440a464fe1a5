import type { listDomains as contract } from '@notify/contracts'
import { type Handler, Problem } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { describeDomain } from './domain-records.ts'
import { listDomainRows } from './domain-store.ts'

/** The domains of the caller's tenant. */
export const listDomains: Handler<Context, typeof contract> = async ({ config, db }, { query, principal }) => {
  const { limit, cursor } = query
  const before = cursor === undefined ? null : readCursor(cursor)
  const rows = await listDomainRows(db.run, { tenantId: principal.tenant_id, before, limit: limit + 1 })
  const shown = rows.slice(0, limit)
  return {
    items: shown.map((row) => describeDomain(row, config.SPF_INCLUDE)),
    next_cursor: rows.length > limit ? Buffer.from(shown.at(-1)!.id).toString('base64url') : null,
  }
}

function readCursor(cursor: string): string {
  const id = Buffer.from(cursor, 'base64url').toString('latin1')
  if (/^dom_[0-9a-z]{26}$/.test(id)) return id
  throw new Problem('validation_failed', 'cursor is not one that this API gave', {
    errors: [{ path: 'cursor', message: 'must be the next_cursor of an earlier answer' }],
  })
}
