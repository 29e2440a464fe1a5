import type { Id } from '@notify/contracts'
import type { Run } from '@notify/database'
import { fieldProblem } from '@notify/service-kit'
import { findProvider } from './provider-store.ts'

/** @throws Problem `validation_failed` unless subscriptions of the application may name the provider */
export async function requireShared(
  run: Run,
  id: Id<'prov'>,
  { tenant_id, application_id }: { tenant_id: Id<'ten'>; application_id: Id<'app'> },
): Promise<void> {
  const provider = await findProvider(run, id, tenant_id)
  const isUsable =
    provider &&
    !provider.deleted_at &&
    !provider.own &&
    (provider.application_id === null || provider.application_id === application_id)
  if (!isUsable) throw fieldProblem('validation_failed', 'provider_id', 'names no webhook provider of this application')
}
