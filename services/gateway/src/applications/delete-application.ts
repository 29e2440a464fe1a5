import type { deleteApplication as contract } from '@notify/contracts'
import type { Handler } from '@notify/service-kit'
import { recordOwnAudit } from '../audit/audit-store.ts'
import type { RouteContext } from '../context.ts'
import { revokeKeysOf } from '../keys/revoke-key.ts'
import {
  describeApplication,
  enqueueApplicationChange,
  lockApplication,
  removeApplication,
} from './application-store.ts'
import { noSuchApplication } from './no-such-application.ts'

/** Deletes an application. Its keys stop working within a second. */
export const deleteApplication: Handler<RouteContext, typeof contract> = async ({ db, wakeOutbox }, request) => {
  const { params, principal } = request
  await db.transaction(async (run) => {
    const known = await lockApplication(run, principal.tenant_id, params.application_id)
    if (!known) throw noSuchApplication()
    await revokeKeysOf(run, request, known.id)
    await enqueueApplicationChange(run, await removeApplication(run, known.id))
    const ids = { resourceId: known.id, applicationId: known.id }
    const before = describeApplication(known)
    await recordOwnAudit(run, { request, action: 'application.deleted', ...ids, before, after: null })
  })
  wakeOutbox()
  return undefined
}
