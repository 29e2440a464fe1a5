import { type createApplication as contract, newId } from '@notify/contracts'
import { idempotent } from '@notify/database'
import { type Handler, Reply } from '@notify/service-kit'
import { recordOwnAudit } from '../audit/audit-store.ts'
import { noSuchTenant } from '../callers/no-such-tenant.ts'
import type { RouteContext } from '../context.ts'
import {
  describeApplication,
  enqueueApplicationChange,
  insertApplication,
  requireRoomForApplication,
} from './application-store.ts'

/** Creates an application of the operator's tenant. */
export const createApplication: Handler<RouteContext, typeof contract> = idempotent({
  async effect({ config }, request, run) {
    const { tenant_id: tenantId } = request.principal
    await requireRoomForApplication(run, tenantId, config.APPLICATIONS_PER_TENANT)
    const id = newId('app')
    const row = await insertApplication(run, { id, tenantId, ...request.body })
    if (!row) throw noSuchTenant(tenantId)
    await enqueueApplicationChange(run, row)
    const after = describeApplication(row)
    const change = { request, action: 'application.created', resourceId: id, applicationId: id, before: null, after }
    await recordOwnAudit(run, change)
    return new Reply(201, JSON.stringify(after))
  },
  after: ({ wakeOutbox }) => wakeOutbox(),
})
