import { type createApiKey as contract, newId } from '@notify/contracts'
import { idempotent } from '@notify/database'
import { mintApiKey } from '@notify/privacy'
import { type Handler, Reply } from '@notify/service-kit'
import { recordOwnAudit } from '../audit/audit-store.ts'
import type { RouteContext } from '../context.ts'
import { requireApplication } from './key-of-application.ts'
import { describeKey, insertKey, requireRoomForKey } from './key-store.ts'

/** Creates an API key. Only its hash is stored. */
export const createKey: Handler<RouteContext, typeof contract> = idempotent({
  async effect({ config }, request, run) {
    const { body, params, principal } = request
    const { tenant_id: tenantId } = principal
    const { application_id: applicationId } = params
    await requireApplication(run, tenantId, applicationId)
    await requireRoomForKey(run, applicationId, config.KEYS_PER_APPLICATION)
    const { name, mode, permissions, rate_limit_per_second: rateLimit } = body
    const id = newId('key')
    const { apiKey, sha256 } = mintApiKey(mode, id, config.CELL)
    const row = await insertKey(run, { id, tenantId, applicationId, name, mode, permissions, sha256, rateLimit })
    const after = describeKey(row)
    await recordOwnAudit(run, {
      request,
      action: 'api_key.created',
      resourceId: id,
      applicationId,
      before: null,
      after,
    })
    return new Reply(201, JSON.stringify({ ...after, api_key: apiKey }))
  },
})
