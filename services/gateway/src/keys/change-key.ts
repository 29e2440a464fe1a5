import { type changeApiKey as contract, permissionsRefused } from '@notify/contracts'
import { requireUnchanged } from '@notify/database'
import { fieldProblem, type Handler, type Problem } from '@notify/service-kit'
import { recordOwnAudit } from '../audit/audit-store.ts'
import type { RouteContext } from '../context.ts'
import { requireActiveKey } from './key-of-application.ts'
import { describeKey, updateKey } from './key-store.ts'

/** Changes an active key. Gateways cache callers for a second, so the change applies within a second. */
export const changeKey: Handler<RouteContext, typeof contract> = async ({ db }, request) => {
  const { body, query } = request
  return db.transaction(async (run) => {
    const known = await requireActiveKey(run, request)
    requireUnchanged('API key', known.updated_at, query.expected_updated_at)
    const { name = known.name, permissions = known.permissions } = body
    const { rate_limit_per_second = known.rate_limit_per_second } = body
    const [refused] = permissionsRefused(known.mode, permissions)
    if (refused !== undefined) throw notForTestKeys(permissions.indexOf(refused), refused)
    const before = describeKey(known)
    const after = describeKey(await updateKey(run, known.id, { name, permissions, rate_limit_per_second }))
    const ids = { resourceId: known.id, applicationId: known.application_id }
    await recordOwnAudit(run, { request, action: 'api_key.changed', ...ids, before, after })
    return after
  })
}

function notForTestKeys(index: number, permission: string): Problem {
  const [path, message] = [`permissions.${index}`, `must not be ${permission} for a test key`]
  return fieldProblem('validation_failed', path, message)
}
