import type { eraseOperator as contract } from '@notify/contracts'
import { type Handler, Problem } from '@notify/service-kit'
import { recordOwnAudit } from '../audit/audit-store.ts'
import type { RouteContext } from '../context.ts'
import { deleteOperator } from './operator-store.ts'

/** Erases the name and email address of an operator. A later access token stores them again. */
export const eraseOperator: Handler<RouteContext, typeof contract> = async ({ db }, request) => {
  const { params, principal } = request
  await db.transaction(async (run) => {
    const isErased = await deleteOperator(run, principal.tenant_id, params.operator_id)
    if (!isErased) throw new Problem('not_found', 'No name or email address is stored for this operator')
    const change = { before: { erased: false }, after: { erased: true } }
    await recordOwnAudit(run, { request, action: 'operator.erased', resourceId: params.operator_id, ...change })
  })
  return undefined
}
