import { type rotateApiKey as contract, newId } from '@notify/contracts'
import { idempotent } from '@notify/database'
import { mintApiKey } from '@notify/privacy'
import { type Handler, Problem, Reply } from '@notify/service-kit'
import { recordOwnAudit } from '../audit/audit-store.ts'
import type { RouteContext } from '../context.ts'
import { requireActiveKey } from './key-of-application.ts'
import { describeKey, expireKey, findRotated, insertKey, type KeyRow, requireRoomForKey } from './key-store.ts'

/** Creates the successor of a key, with its name, mode, permissions and limit. One predecessor at a time works beside it. */
export const rotateKey: Handler<RouteContext, typeof contract> = idempotent({
  async effect({ config }, request, run) {
    const known = await requireActiveKey(run, request)
    const rotated = await findRotated(run, known)
    if (rotated) throw underWay(rotated)
    await requireRoomForKey(run, known.application_id, config.KEYS_PER_APPLICATION)
    const before = describeKey(known)
    const ended = describeKey(await expireKey(run, known.id, request.body.overlap_seconds))
    const { tenant_id: tenantId, application_id: applicationId, name, mode, permissions } = known
    const id = newId('key')
    const { apiKey, sha256 } = mintApiKey(mode, id, config.CELL)
    const rateLimit = known.rate_limit_per_second
    const settings = { name, mode, permissions, rateLimit }
    const row = await insertKey(run, { id, tenantId, applicationId, sha256, predecessorId: known.id, ...settings })
    const created = describeKey(row)
    const common = { request, applicationId }
    const change = { action: 'api_key.rotated', resourceId: known.id, before, after: { ...ended, successor: id } }
    await recordOwnAudit(run, { ...common, ...change })
    await recordOwnAudit(run, { ...common, action: 'api_key.created', resourceId: id, before: null, after: created })
    const previous = { previous_key_id: known.id, previous_valid_until: ended.expires_at }
    return new Reply(201, JSON.stringify({ ...created, api_key: apiKey, ...previous }))
  },
})

function underWay({ id, expires_at }: KeyRow): Problem {
  const detail = `The overlap of a rotation lasts until ${expires_at!.toISOString()}; revoke ${id} to end it now`
  return new Problem('key_rotation_under_way', detail)
}
