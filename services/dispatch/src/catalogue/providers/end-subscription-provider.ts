import type { SubscriptionChange } from '@notify/contracts'
import { readable } from '@notify/messaging'
import { newWebhookSecret } from '@notify/webhook-signature'
import type { Context } from '../../context.ts'
import { lockProviderId } from './provider-store.ts'
import { credentialsOf } from './write-provider.ts'
import { writeSubscriptionProvider } from './write-subscription-provider.ts'

/**
 * Deletes the provider of a deleted subscription. If it does not exist yet, it cannot be created afterwards.
 * @throws UnreadableError when its credentials are encrypted under a key that is unknown here
 */
export async function endSubscriptionProvider(context: Context, change: SubscriptionChange): Promise<void> {
  const { provider_id: id, status, subscription_id, tenant_id, application_id } = change
  if (id === undefined || status !== 'deleted') return
  await context.db.transaction(async (run) => {
    const known = await lockProviderId(run, id)
    if (known && (known.deleted_at !== null || known.subscription_id !== subscription_id)) return
    const credentials = known
      ? readable('the credentials of the provider cannot be decrypted', () => credentialsOf(context, known))
      : { secret: newWebhookSecret() }
    const owner = { tenant_id, application_id, subscription_id }
    await writeSubscriptionProvider(run, context, { id, ...owner, credentials, isDeleted: true }, known)
  })
  context.wakeOutbox()
  context.log.info({ provider_id: id, subscription_id }, 'provider of a webhook subscription deleted')
}
