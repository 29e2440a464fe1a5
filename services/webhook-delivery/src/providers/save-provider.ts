import { type ProviderChange, providerChanged } from '@notify/contracts'
import { openEvent, readable } from '@notify/messaging'
import { parseDurationMs } from '@notify/service-kit'
import { formerSecretsOf, readWebhookSecret } from '@notify/webhook-signature'
import { z } from 'zod'
import type { Context } from '../context.ts'
import { findProvider, saveProviderRow } from './provider-store.ts'
import { openSecret, sealSecret } from './secret.ts'

/** What a provider of kind `webhook` holds: the secret, and its own retry schedule (`5s,1m`), if it has one. */
const WebhookCredentials = z.object({
  secret: z.string().refine((text) => Boolean(readWebhookSecret(text))),
  previous_secret: z.string().optional(),
  previous_until: z.iso.datetime().optional(),
  older_secret: z.string().optional(),
  older_until: z.iso.datetime().optional(),
  retry_delays: z
    .string()
    .transform((text) => text.split(',').map(parseDurationMs))
    .optional(),
})

const kind = 'webhook'

/** Keeps what is needed of a webhook provider to sign with it. */
export async function saveProvider(context: Context, change: ProviderChange): Promise<void> {
  if (change.kind !== kind) return
  const { db, log, secrets } = context
  const { provider_id: id, tenant_id, revision, application_id, priority } = change
  const { subscription_version: version } = change
  const credentials = openEvent(secrets.keyRing, providerChanged, change)
  const {
    secret,
    retry_delays = null,
    ...formerFields
  } = readable('the credentials are not those of a webhook provider', () => WebhookCredentials.parse(credentials))
  const known = await findProvider(db.run, id, tenant_id)
  // Deleted with its subscription.
  if (change.subscription_id && !known) return
  const isSame = known !== undefined && openSecret(secrets.keyRing, known.secret, tenant_id, id) === secret
  const seal = (text: string) => sealSecret(secrets.keyRing, text, tenant_id, id)
  const former = formerSecretsOf(formerFields).map((one) => ({ secret: seal(one.secret), until: one.until }))
  const isDeleted = change.status === 'deleted'
  const provider = { id, tenant_id, application_id, priority, revision, former, retry_delays, isDeleted, version }
  await saveProviderRow(db.run, { ...provider, secret: seal(secret) }, isSame)
  log.info({ provider_id: id, revision }, 'webhook provider saved')
}
