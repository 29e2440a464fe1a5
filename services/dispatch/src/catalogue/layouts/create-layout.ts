import { type createLayout as contract, dispatchAuditRecorded, newId } from '@notify/contracts'
import { idempotent, recordAudit } from '@notify/database'
import { type Handler, Reply } from '@notify/service-kit'
import type { Renderer } from '@notify/templates'
import type { Context } from '../../context.ts'
import { requireValidLayout } from './check-layout.ts'
import { auditedLayout, describeWholeLayout } from './describe-layout.ts'
import { insertLayout, requireRoomForLayout } from './layout-store.ts'
import { keepLayoutVersion } from './version-store.ts'

/** Creates a layout. */
export const createLayout: Handler<Context & { renderer: Renderer }, typeof contract> = idempotent({
  async prepare(context, { body, principal }) {
    await requireValidLayout(context, principal.tenant_id, body)
    return newId('lay')
  },
  async effect({ config }, request, run, id) {
    const { body, principal } = request
    const tenantId = principal.tenant_id
    await requireRoomForLayout(run, tenantId, config.LAYOUTS_PER_TENANT)
    const row = await insertLayout(run, { id, tenantId, ...body, translations: body.translations ?? null })
    await keepLayoutVersion(run, row, principal.subject, config.VERSIONS_PER_LAYOUT)
    await recordAudit(run, dispatchAuditRecorded, {
      request,
      action: 'layout.created',
      resourceId: id,
      applicationId: row.application_id,
      before: null,
      after: auditedLayout(row),
    })
    return new Reply(201, JSON.stringify(describeWholeLayout(row)))
  },
  after({ log, wakeOutbox }, { principal, requestId }, id) {
    wakeOutbox()
    log.info({ layout_id: id, operator: principal.subject, request_id: requestId }, 'layout stored')
  },
})
