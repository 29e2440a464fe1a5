import { type SubscriptionProviderChange, subscriptionProviderChanged } from '@notify/contracts'
import { openEvent } from '@notify/messaging'
import { formerSecretsOf } from '@notify/webhook-signature'
import type { Context } from '../../context.ts'
import { lockProviderId, lowestPriority } from './provider-store.ts'
import { withNewSecret } from './rotate-provider-secret.ts'
import { credentialsOf, writeProvider } from './write-provider.ts'

/** Keeps the provider that signs for one webhook subscription. An older change that comes late changes nothing. */
export async function keepSubscriptionProvider(context: Context, change: SubscriptionProviderChange): Promise<void> {
  const { provider_id: id, subscription_id, tenant_id, application_id, version, status } = change
  const { secret, ...former } = openEvent(context.secrets.keyRing, subscriptionProviderChanged, change)
  const told = formerSecretsOf(former)
  await context.db.transaction(async (run) => {
    const known = await lockProviderId(run, id)
    if (known && (known.subscription_version ?? 0) >= version) return
    const state = {
      name: known?.name ?? `Signs for ${subscription_id}`,
      priority: known?.priority ?? (await lowestPriority(run, tenant_id, 'webhook')),
      rate_limit_per_second: known?.rate_limit_per_second ?? null,
      credentials: withNewSecret(known ? credentialsOf(context, known) : {}, secret, told),
      updated_by: known?.updated_by ?? null,
      isDeleted: status === 'deleted',
      subscription: { id: subscription_id, version },
    }
    await writeProvider(
      run,
      context,
      { ...{ id, tenant_id, application_id }, channel: 'webhook', kind: 'webhook', ...state },
      known,
    )
  })
  context.wakeOutbox()
  context.log.info({ provider_id: id, subscription_id, version, status }, 'provider of a webhook subscription saved')
}
