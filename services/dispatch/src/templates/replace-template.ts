import type { replaceTemplate as contract } from '@notify/contracts'
import type { Handler } from '@notify/service-kit'
import type { ApiContext } from '../context.ts'
import { requireFillable } from './check-templates.ts'
import { describeWhole } from './describe-template.ts'
import { updateTemplate } from './template-store.ts'

/** Replaces a template as a whole; sends use the new one within a second. */
export const replaceTemplate: Handler<ApiContext, typeof contract> = async (context, request) => {
  const { body, params, principal, requestId } = request
  await requireFillable(context.renderer, principal.tenant_id, body.templates)
  const replaced = describeWhole(await updateTemplate(context.db.run, principal.tenant_id, params.template_id, body))
  context.directory.templates.forget()
  const { template_id, version } = replaced
  context.log.info({ template_id, version, operator: principal.subject, request_id: requestId }, 'template replaced')
  return replaced
}
