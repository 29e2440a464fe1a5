import { subscriptionProviderChanged } from '@notify/contracts'
import { enqueueEvents, type Queries, type Run } from '@notify/database'
import { sealEvent } from '@notify/messaging'
import type { KeyRing } from '@notify/privacy'
import { claimUntoldProviders, type OwnProvider } from './provider-store.ts'
import { openSecret } from './secret.ts'

/** Tells dispatch, which owns all providers, of one that signs for a subscription; in the transaction of the change. */
export async function tellOwnProvider(
  run: Run,
  keyRing: KeyRing,
  provider: OwnProvider,
  status: 'active' | 'deleted' = 'active',
): Promise<void> {
  const { id, tenant_id, application_id, subscription_id, version } = provider
  const payload = {
    provider_id: id as `prov_${string}`,
    subscription_id: subscription_id as `whsub_${string}`,
    tenant_id: tenant_id as `ten_${string}`,
    application_id: application_id as `app_${string}`,
    version,
    status,
  }
  const open = (sealed: Buffer) => openSecret(keyRing, sealed, tenant_id, id)
  const { previous_secret, previous_until, older_secret, older_until } = provider
  const event = sealEvent(keyRing, subscriptionProviderChanged, payload, {
    secret: open(provider.secret),
    ...(previous_secret && { previous_secret: open(previous_secret), previous_until: previous_until?.toISOString() }),
    ...(older_secret && { older_secret: open(older_secret), older_until: older_until?.toISOString() }),
  })
  await enqueueEvents(run, subscriptionProviderChanged, [{ event }])
}

const batch = 100

/** Tells of providers that an earlier release made. @returns whether more are left */
export function tellUntoldProviders(db: Queries, keyRing: KeyRing): Promise<boolean> {
  return db.transaction(async (run) => {
    const untold = await claimUntoldProviders(run, batch)
    for (const provider of untold) await tellOwnProvider(run, keyRing, provider)
    return untold.length === batch
  })
}
