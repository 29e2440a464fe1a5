import type { deleteDomain as contract } from '@notify/contracts'
import type { Handler } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import { auditDomain } from './audit-domain.ts'
import { enqueueDomainChange, removeDomain } from './domain-store.ts'
import { noSuchDomain } from './get-domain.ts'
import { requestIdentityRemoval } from './identity-store.ts'

/** Deletes a domain and its keys, which stops sending from it; the worker removes it from the carriers. */
export const deleteDomain: Handler<Context, typeof contract> = async (context, request) => {
  const { params, principal, requestId } = request
  await context.db.transaction(async (run) => {
    const removed = await removeDomain(run, principal.tenant_id, params.domain_id)
    if (!removed) throw noSuchDomain()
    await requestIdentityRemoval(run, removed.id)
    await enqueueDomainChange(run, { ...removed, revision: removed.revision + 1 }, 'deleted')
    await auditDomain(run, request, 'deleted', removed)
  })
  context.wakeOutbox()
  context.log.info({ domain_id: params.domain_id, request_id: requestId }, 'domain removed')
  return undefined
}
