import { earliestId, type Id } from '@notify/contracts'
import type { Run } from '@notify/database'
import { fieldProblem, Problem } from '@notify/service-kit'
import { findProvider } from './provider-store.ts'

/** Longer than a copy takes to arrive, and more than the clocks of processes differ. */
const newForMs = 60_000

const notYet = 'No webhook provider with this provider_id is known here yet; if it was created just now, try again'

/**
 * @throws Problem `validation_failed` unless subscriptions of the application may name the provider; `service_unavailable` while the
 * copy of a new one may not have arrived
 */
export async function requireShared(
  run: Run,
  id: Id<'prov'>,
  { tenant_id, application_id }: { tenant_id: Id<'ten'>; application_id: Id<'app'> },
): Promise<void> {
  const provider = await findProvider(run, id, tenant_id)
  if (!provider && isNew(id)) {
    throw new Problem('service_unavailable', notYet, { headers: { 'Retry-After': '1' } })
  }
  const isUsable =
    provider &&
    !provider.deleted_at &&
    !provider.own &&
    (provider.application_id === null || provider.application_id === application_id)
  if (!isUsable) throw fieldProblem('validation_failed', 'provider_id', 'names no webhook provider of this application')
}

function isNew(id: Id<'prov'>): boolean {
  const nowMs = Date.now()
  return id >= earliestId('prov', nowMs - newForMs) && id < earliestId('prov', nowMs + newForMs)
}
