import type { Id } from '@notify/contracts'
import type { Run } from '@notify/database'
import { lowestPriority, type ProviderRow } from './provider-store.ts'
import { type Credentials, type Writing, writeProvider } from './write-provider.ts'

/** The webhook subscription that a provider signs for alone. */
export interface Owner {
  tenant_id: Id<'ten'>
  application_id: Id<'app'>
  subscription_id: Id<'whsub'>
}

interface SubscriptionProvider extends Owner {
  id: Id<'prov'>
  credentials: Credentials
  isDeleted?: boolean
}

/** Writes the provider that signs for one webhook subscription. @param known the locked row, if there is one */
export async function writeSubscriptionProvider(
  run: Run,
  context: Writing,
  provider: SubscriptionProvider,
  known: ProviderRow | undefined,
): Promise<ProviderRow> {
  const { tenant_id, subscription_id } = provider
  const state = {
    name: known?.name ?? `Signs for ${subscription_id}`,
    priority: known?.priority ?? (await lowestPriority(run, tenant_id, 'webhook')),
    rate_limit_per_second: known?.rate_limit_per_second ?? null,
    updated_by: known?.updated_by ?? null,
  }
  return writeProvider(run, context, { channel: 'webhook', kind: 'webhook', ...state, ...provider }, known)
}
