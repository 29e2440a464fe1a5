import { type createTemplate as contract, newId } from '@notify/contracts'
import { idempotent } from '@notify/database'
import { type Handler, Reply } from '@notify/service-kit'
import type { ApiContext } from '../context.ts'
import { requireFillable } from './check-templates.ts'
import { describeWhole } from './describe-template.ts'
import { insertTemplate } from './template-store.ts'

/** Creates a stored template. */
export const createTemplate: Handler<ApiContext, typeof contract> = idempotent({
  async prepare({ renderer }, { body, principal }) {
    await requireFillable(renderer, principal.tenant_id, body.templates)
    return newId('tmpl')
  },
  async effect(_context, { body, principal }, run, id) {
    const row = await insertTemplate(run, { id, tenantId: principal.tenant_id, ...body })
    return new Reply(201, JSON.stringify(describeWhole(row)))
  },
  after({ log }, { principal, requestId }, id) {
    log.info({ template_id: id, operator: principal.subject, request_id: requestId }, 'template stored')
  },
})
