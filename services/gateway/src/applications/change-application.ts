import type { changeApplication as contract } from '@notify/contracts'
import type { Handler } from '@notify/service-kit'
import { recordOwnAudit } from '../audit/audit-store.ts'
import type { RouteContext } from '../context.ts'
import {
  describeApplication,
  enqueueApplicationChange,
  lockApplication,
  updateApplication,
} from './application-store.ts'
import { noSuchApplication } from './no-such-application.ts'

/** Changes an application; other services hear of it within moments. */
export const changeApplication: Handler<RouteContext, typeof contract> = async ({ db, wakeOutbox }, request) => {
  const { body, params, principal } = request
  const changed = await db.transaction(async (run) => {
    const known = await lockApplication(run, principal.tenant_id, params.application_id)
    if (!known) throw noSuchApplication()
    const { name = known.name, allowed_origins = known.allowed_origins, otp = known.otp } = body
    const row = await updateApplication(run, known.id, { name, allowed_origins, otp })
    await enqueueApplicationChange(run, row)
    const [before, after] = [describeApplication(known), describeApplication(row)]
    const ids = { resourceId: row.id, applicationId: row.id }
    await recordOwnAudit(run, { request, action: 'application.changed', ...ids, before, after })
    return after
  })
  wakeOutbox()
  return changed
}
