import {
  type getLayoutVersion as getContract,
  type LayoutVersionSummary,
  type listLayoutVersions as listContract,
  versionOf,
} from '@notify/contracts'
import { type ListOrder, page } from '@notify/database'
import { type Handler, Problem } from '@notify/service-kit'
import { z } from 'zod'
import type { Context } from '../../context.ts'
import { requireLayout } from './describe-layout.ts'
import { findLayout } from './layout-store.ts'
import { findLayoutVersion, type LayoutVersionSummaryRow, listLayoutVersionRows } from './version-store.ts'

const byVersion: ListOrder<LayoutVersionSummaryRow, number> = { position: z.int32(), of: ({ version }) => version }

/** The versions of a layout, without their texts. */
export const listLayoutVersions: Handler<Context, typeof listContract> = async ({ db }, request) => {
  const { params, principal } = request
  const of = { tenantId: principal.tenant_id, id: params.layout_id }
  const layout = requireLayout(await findLayout(db.run, of.tenantId, of.id))
  const { items, next_cursor } = await page(request, byVersion, (after, limit) =>
    listLayoutVersionRows(db.run, of, { after, limit }),
  )
  return { items: items.map((row) => summarize(row, layout.version)), next_cursor }
}

export const getLayoutVersion: Handler<Context, typeof getContract> = async ({ db }, { params, principal }) => {
  const of = { tenantId: principal.tenant_id, id: params.layout_id }
  const layout = requireLayout(await findLayout(db.run, of.tenantId, of.id))
  const wanted = versionOf(params.version)
  const row = wanted === undefined ? undefined : await findLayoutVersion(db.run, of, wanted)
  if (!row) throw new Problem('not_found', 'The layout has no version with this number')
  const { html_body, body, translations } = row
  return {
    ...summarize(row, layout.version),
    ...{ html_body, ...(body === null ? {} : { body }), translations: translations ?? {} },
  }
}

function summarize(row: LayoutVersionSummaryRow, current: number): LayoutVersionSummary {
  const { version, name, application_id, saved_at, saved_by } = row
  return { version, name, application_id, is_current: version === current, saved_at: saved_at.toISOString(), saved_by }
}
