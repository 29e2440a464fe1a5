import type { deleteTemplate as contract } from '@notify/contracts'
import type { Handler } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { templateMissing } from './describe-template.ts'
import { removeTemplate } from './template-store.ts'

/** Deletes a template; further sends with it are refused within a second. */
export const deleteTemplate: Handler<Context, typeof contract> = async (context, { params, principal, requestId }) => {
  const { template_id } = params
  if (!(await removeTemplate(context.db.run, principal.tenant_id, template_id))) throw templateMissing()
  context.directory.templates.forget()
  context.log.info({ template_id, operator: principal.subject, request_id: requestId }, 'template deleted')
  return undefined
}
