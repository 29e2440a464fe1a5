import type { changeApplication as contract, OtpChange, OtpSettings } from '@notify/contracts'
import { requireUnchanged } from '@notify/database'
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

/** Changes an application and publishes the change to other services. */
export const changeApplication: Handler<RouteContext, typeof contract> = async ({ db, wakeOutbox }, request) => {
  const { body, params, principal, query } = request
  const changed = await db.transaction(async (run) => {
    const known = await lockApplication(run, principal.tenant_id, params.application_id)
    if (!known) throw noSuchApplication()
    requireUnchanged('application', known.updated_at, query.expected_updated_at)
    const { name = known.name, allowed_origins = known.allowed_origins } = body
    const { default_locale = known.default_locale, default_time_zone = known.default_time_zone } = body
    const { bulk_requires_topic = known.bulk_requires_topic, brand = known.brand } = body
    const otp = mergeOtp(known.otp, body.otp ?? {})
    const locales = { default_locale, default_time_zone }
    const settings = { name, allowed_origins, otp, ...locales, bulk_requires_topic, brand }
    const row = await updateApplication(run, known.id, settings)
    await enqueueApplicationChange(run, row)
    const [before, after] = [describeApplication(known), describeApplication(row)]
    const ids = { resourceId: row.id, applicationId: row.id }
    await recordOwnAudit(run, { request, action: 'application.changed', ...ids, before, after })
    return after
  })
  wakeOutbox()
  return changed
}

/** Null removes a setting; absent members stay (JSON Merge Patch, RFC 7396). */
function mergeOtp(known: OtpSettings, change: OtpChange): OtpSettings {
  const merged = { ...known, ...change }
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value != null))
}
