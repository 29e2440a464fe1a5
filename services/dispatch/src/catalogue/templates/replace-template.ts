import { type replaceTemplate as contract, dispatchAuditRecorded, type StoredTemplate } from '@notify/contracts'
import { recordAudit } from '@notify/database'
import { type Handler, Problem } from '@notify/service-kit'
import type { Renderer } from '@notify/templates'
import { requireFillable } from '../../channels/check-templates.ts'
import type { Context } from '../../context.ts'
import { requireFit } from '../carrier-templates/require-fit.ts'
import { requireLayouts } from '../layouts/require-layouts.ts'
import { requireFillableTranslations, requireKnownVariables } from '../translations/check-translations.ts'
import { keepTranslations } from '../translations/keep-translations.ts'
import { auditedTemplate, describeWhole, requireTemplate } from './describe-template.ts'
import type { WithTemplates } from './template-catalogue.ts'
import { findTemplate, lockTemplate, updateTemplate } from './template-store.ts'

/** Replaces a template as a whole; sends use the new one within a second. */
export const replaceTemplate: Handler<Context & WithTemplates & { renderer: Renderer }, typeof contract> = async (
  context,
  request,
) => {
  const { body, params, principal, query, requestId } = request
  await requireFillable(context, principal.tenant_id, body.templates)
  await requireFillableTranslations(context, principal.tenant_id, body.translations)
  const owner = { tenantId: principal.tenant_id, applicationId: body.application_id ?? null }
  await requireFit(context.db.run, context.channels, owner, body, true)
  const known = await findTemplate(context.db.run, principal.tenant_id, params.template_id)
  const translations = body.translations ?? known?.translations
  await requireKnownVariables(context, principal.tenant_id, { templates: body.templates, translations })
  const [tenantId, resourceId] = [principal.tenant_id, params.template_id]
  const replaced = await context.db.transaction(async (run) => {
    const row = requireTemplate(await lockTemplate(run, tenantId, resourceId))
    const isTranslated = Boolean(known?.translations ?? row.translations)
    requireVersion(describeWhole(row), query.expected_version ?? (isTranslated ? known?.version : undefined))
    const kept = keepTranslations(body.translations, body.templates, row)
    const owner = { tenantId, applicationId: body.application_id }
    await requireLayouts(run, context.channels, owner, { templates: body.templates, ...kept })
    const changed = requireTemplate(await updateTemplate(run, tenantId, resourceId, { ...body, ...kept }))
    const [before, after] = [auditedTemplate(row), auditedTemplate(changed)]
    const ids = { resourceId, applicationId: changed.application_id }
    await recordAudit(run, dispatchAuditRecorded, { request, action: 'template.replaced', ...ids, before, after })
    return describeWhole(changed)
  })
  context.wakeOutbox()
  context.directory.templates.forget()
  const { template_id, version } = replaced
  context.log.info({ template_id, version, operator: principal.subject, request_id: requestId }, 'template replaced')
  return replaced
}

function requireVersion({ version, updated_at }: StoredTemplate, expected: number | undefined): void {
  if (expected === undefined || expected === version) return
  throw new Problem('edit_conflict', `The template has version ${version} since ${updated_at}, not ${expected}`)
}
