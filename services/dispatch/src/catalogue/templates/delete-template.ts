import { type deleteTemplate as contract, dispatchAuditRecorded } from '@notify/contracts'
import { recordAudit } from '@notify/database'
import type { Handler } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import { auditedTemplate, requireTemplate } from './describe-template.ts'
import type { WithTemplates } from './template-catalogue.ts'
import { removeTemplate } from './template-store.ts'

/** Deletes a template; further sends with it are refused within a second. */
export const deleteTemplate: Handler<Context & WithTemplates, typeof contract> = async (context, request) => {
  const { params, principal, requestId } = request
  const { template_id } = params
  await context.db.transaction(async (run) => {
    const row = requireTemplate(await removeTemplate(run, principal.tenant_id, template_id))
    await recordAudit(run, dispatchAuditRecorded, {
      request,
      action: 'template.deleted',
      resourceId: template_id,
      applicationId: row.application_id,
      before: auditedTemplate(row),
      after: null,
    })
  })
  context.wakeOutbox()
  context.directory.templates.forget()
  context.log.info({ template_id, operator: principal.subject, request_id: requestId }, 'template deleted')
  return undefined
}
