import type { revokeApiKey as contract, Id } from '@notify/contracts'
import type { Change, Run } from '@notify/database'
import type { Handler } from '@notify/service-kit'
import { recordOwnAudit } from '../audit/audit-store.ts'
import type { RouteContext } from '../context.ts'
import { requireKey } from './key-of-application.ts'
import { describeKey, type KeyRow, lockActiveKeys, markRevoked } from './key-store.ts'

/** Revokes a key; revoking it again changes nothing. */
export const revokeKey: Handler<RouteContext, typeof contract> = async ({ db }, request) => {
  await db.transaction(async (run) => {
    const known = await requireKey(run, request)
    if (known.revoked_at === null) await revoke(run, request, known)
  })
  return undefined
}

/** Revokes the active keys of an application. */
export async function revokeKeysOf(run: Run, request: Change['request'], id: Id<'app'>): Promise<void> {
  for (const key of await lockActiveKeys(run, id)) await revoke(run, request, key)
}

async function revoke(run: Run, request: Change['request'], known: KeyRow): Promise<void> {
  const [before, after] = [describeKey(known), describeKey(await markRevoked(run, known.id))]
  const ids = { resourceId: known.id, applicationId: known.application_id }
  await recordOwnAudit(run, { request, action: 'api_key.revoked', ...ids, before, after })
}
