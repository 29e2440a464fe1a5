import { type deleteLayout as contract, dispatchAuditRecorded } from '@notify/contracts'
import { recordAudit } from '@notify/database'
import type { Handler } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import { auditedLayout, requireLayout } from './describe-layout.ts'
import type { WithLayouts } from './layout-catalogue.ts'
import { lockLayout, removeLayout } from './layout-store.ts'
import { requireUnused } from './layout-uses.ts'
import { removeLayoutVersions } from './version-store.ts'

/** Deletes a layout that nothing uses. */
export const deleteLayout: Handler<Context & WithLayouts, typeof contract> = async (context, request) => {
  const { params, principal, requestId } = request
  const { layout_id } = params
  await context.db.transaction(async (run) => {
    const row = requireLayout(await lockLayout(run, principal.tenant_id, layout_id))
    await requireUnused(run, principal.tenant_id, layout_id)
    await removeLayout(run, principal.tenant_id, layout_id)
    await removeLayoutVersions(run, { tenantId: principal.tenant_id, id: layout_id })
    await recordAudit(run, dispatchAuditRecorded, {
      request,
      action: 'layout.deleted',
      resourceId: layout_id,
      applicationId: row.application_id,
      before: auditedLayout(row),
      after: null,
    })
  })
  context.wakeOutbox()
  context.directory.layouts.forget()
  context.log.info({ layout_id, operator: principal.subject, request_id: requestId }, 'layout deleted')
  return undefined
}
