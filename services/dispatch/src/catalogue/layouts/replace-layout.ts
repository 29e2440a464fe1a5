import { type replaceLayout as contract, dispatchAuditRecorded } from '@notify/contracts'
import { recordAudit } from '@notify/database'
import { type Handler, Problem } from '@notify/service-kit'
import type { Renderer } from '@notify/templates'
import type { Context } from '../../context.ts'
import { requireValidLayout } from './check-layout.ts'
import { auditedLayout, describeWholeLayout, requireLayout } from './describe-layout.ts'
import type { WithLayouts } from './layout-catalogue.ts'
import { findLayout, lockLayout, updateLayout } from './layout-store.ts'
import { requireUnused } from './layout-uses.ts'
import { keepLayoutVersion } from './version-store.ts'

/** Replaces a layout as a whole; sends use the new one within a second. */
export const replaceLayout: Handler<Context & WithLayouts & { renderer: Renderer }, typeof contract> = async (
  context,
  request,
) => {
  const { body, params, principal, query, requestId } = request
  const [tenantId, resourceId] = [principal.tenant_id, params.layout_id]
  const known = requireLayout(await findLayout(context.db.run, tenantId, resourceId))
  await requireValidLayout(context, tenantId, { ...body, translations: body.translations ?? known.translations })
  const replaced = await context.db.transaction(async (run) => {
    const row = requireLayout(await lockLayout(run, tenantId, resourceId))
    // Kept translations were checked against the new texts as they were then.
    requireVersion(row, query.expected_version ?? (row.translations ? known.version : undefined))
    await requireUnused(run, tenantId, resourceId, body.application_id)
    const translations = body.translations ?? row.translations
    const changed = await updateLayout(run, tenantId, resourceId, { ...body, translations })
    await keepLayoutVersion(run, changed, principal.subject, context.config.VERSIONS_PER_LAYOUT)
    const [before, after] = [auditedLayout(row), auditedLayout(changed)]
    const ids = { resourceId, applicationId: changed.application_id }
    await recordAudit(run, dispatchAuditRecorded, { request, action: 'layout.replaced', ...ids, before, after })
    return describeWholeLayout(changed)
  })
  context.wakeOutbox()
  context.directory.layouts.forget()
  const { layout_id, version } = replaced
  context.log.info({ layout_id, version, operator: principal.subject, request_id: requestId }, 'layout replaced')
  return replaced
}

function requireVersion({ version, updated_at }: { version: number; updated_at: Date }, expected?: number): void {
  if (expected === undefined || expected === version) return
  const since = updated_at.toISOString()
  throw new Problem('edit_conflict', `The layout has version ${version} since ${since}, not ${expected}`)
}
