import { type createTemplate as contract, newId } from '@notify/contracts'
import { idempotencyScope, type Run, runIdempotently } from '@notify/database'
import { type Handler, Reply } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { requireFillable } from './check-templates.ts'
import { describeWhole } from './describe-template.ts'
import { insertTemplate } from './template-store.ts'

/** Stores a template for `template_id`. */
export const createTemplate: Handler<Context, typeof contract> = async ({ db, log, secrets }, request) => {
  const { body, principal, idempotencyKey, url, requestId } = request
  requireFillable(body.templates)
  const id = newId('tmpl')
  const create = async (run: Run) => {
    const row = await insertTemplate(run, { id, tenantId: principal.tenant_id, ...body })
    log.info({ template_id: id, operator: principal.subject, request_id: requestId }, 'template stored')
    return new Reply(201, JSON.stringify(describeWhole(row)))
  }
  if (idempotencyKey === undefined) return create(db.run)
  const scope = idempotencyScope(principal, url)
  return runIdempotently(db, { scope, key: idempotencyKey, fingerprint: secrets.fingerprint(body) }, create)
}
