import { type liftSuppression as contract, dispatchAuditRecorded } from '@notify/contracts'
import { recordAudit } from '@notify/database'
import { type Handler, Problem } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import { suppressionOf } from './list-suppressions.ts'
import { liftById } from './suppression-store.ts'

/** Lifts a suppression of any reason. */
export const liftSuppression: Handler<Context, typeof contract> = async (context, request) => {
  const { params, principal, requestId } = request
  const id = params.suppression_id
  await context.db.transaction(async (run) => {
    const lifted = await liftById(run, principal.tenant_id, id)
    if (!lifted) throw new Problem('not_found', 'No suppression has this id')
    const change = { request, action: 'suppression.lifted', resourceId: id, before: suppressionOf(lifted), after: null }
    await recordAudit(run, dispatchAuditRecorded, change)
  })
  context.wakeOutbox()
  context.log.info({ suppression_id: id, operator: principal.subject, request_id: requestId }, 'suppression lifted')
}
