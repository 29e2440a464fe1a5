import { type replaceTemplate as contract, dispatchAuditRecorded, type StoredTemplate } from '@notify/contracts'
import { recordAudit } from '@notify/database'
import { type Handler, Problem } from '@notify/service-kit'
import type { Renderer } from '@notify/templates'
import type { Context } from '../../context.ts'
import { requireFillable } from './check-templates.ts'
import { describeWhole } from './describe-template.ts'
import type { WithTemplates } from './template-catalogue.ts'
import { lockTemplate, updateTemplate } from './template-store.ts'

/** Replaces a template as a whole; sends use the new one within a second. */
export const replaceTemplate: Handler<Context & WithTemplates & { renderer: Renderer }, typeof contract> = async (
  context,
  request,
) => {
  const { body, params, principal, query, requestId } = request
  await requireFillable(context, principal.tenant_id, body.templates)
  const [tenantId, resourceId] = [principal.tenant_id, params.template_id]
  const replaced = await context.db.transaction(async (run) => {
    const before = describeWhole(await lockTemplate(run, tenantId, resourceId))
    requireVersion(before, query.expected_version)
    const after = describeWhole(await updateTemplate(run, tenantId, resourceId, body))
    const { application_id: applicationId } = after
    const change = { request, action: 'template.replaced', resourceId, applicationId, before, after }
    await recordAudit(run, dispatchAuditRecorded, change)
    return after
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
