import type { revokeApiKey as contract } from '@notify/contracts'
import type { Handler } from '@notify/service-kit'
import { recordOwnAudit } from '../audit/audit-store.ts'
import type { RouteContext } from '../context.ts'
import { requireKey } from './key-of-application.ts'
import { describeKey, markRevoked } from './key-store.ts'

/** Revokes a key; revoking it again changes nothing. */
export const revokeKey: Handler<RouteContext, typeof contract> = async ({ db }, request) => {
  await db.transaction(async (run) => {
    const known = await requireKey(run, request)
    if (known.revoked_at !== null) return
    const [before, after] = [describeKey(known), describeKey(await markRevoked(run, known.id))]
    const ids = { resourceId: known.id, applicationId: known.application_id }
    await recordOwnAudit(run, { request, action: 'api_key.revoked', ...ids, before, after })
  })
  return undefined
}
