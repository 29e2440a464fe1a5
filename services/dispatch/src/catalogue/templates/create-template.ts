import { type createTemplate as contract, dispatchAuditRecorded, newId } from '@notify/contracts'
import { idempotent, recordAudit } from '@notify/database'
import { type Handler, Reply } from '@notify/service-kit'
import type { Renderer } from '@notify/templates'
import { requireFillable } from '../../channels/check-templates.ts'
import type { Context } from '../../context.ts'
import { requireFit } from '../carrier-templates/require-fit.ts'
import { requireLayouts } from '../layouts/require-layouts.ts'
import { requireFillableTranslations, requireKnownVariables } from '../translations/check-translations.ts'
import { keepTranslations, noTranslations } from '../translations/keep-translations.ts'
import { auditedTemplate, describeWhole } from './describe-template.ts'
import { insertTemplate, requireRoomForTemplate } from './template-store.ts'

/** Creates a stored template. */
export const createTemplate: Handler<Context & { renderer: Renderer }, typeof contract> = idempotent({
  async prepare(context, { body, principal }) {
    await requireFillable(context, principal.tenant_id, body.templates)
    await requireFillableTranslations(context, principal.tenant_id, body.translations)
    const owner = { tenantId: principal.tenant_id, applicationId: body.application_id ?? null }
    await requireFit(context.db.run, context.channels, owner, body, true)
    await requireKnownVariables(context, principal.tenant_id, body)
    return newId('tmpl')
  },
  async effect({ channels, config }, request, run, id) {
    const { body, principal } = request
    await requireRoomForTemplate(run, principal.tenant_id, config.TEMPLATES_PER_TENANT)
    const kept = keepTranslations(body.translations, body.templates, noTranslations)
    const owner = { tenantId: principal.tenant_id, applicationId: body.application_id }
    await requireLayouts(run, channels, owner, body)
    const row = await insertTemplate(run, { id, tenantId: principal.tenant_id, ...body, ...kept })
    const created = describeWhole(row)
    await recordAudit(run, dispatchAuditRecorded, {
      request,
      action: 'template.created',
      resourceId: id,
      applicationId: created.application_id,
      before: null,
      after: auditedTemplate(row),
    })
    return new Reply(201, JSON.stringify(created))
  },
  after({ log, wakeOutbox }, { principal, requestId }, id) {
    wakeOutbox()
    log.info({ template_id: id, operator: principal.subject, request_id: requestId }, 'template stored')
  },
})
