import type { KeyRing } from '@notify/privacy'
import { parseDurationMs } from '@notify/service-kit'
import { formerSecretsOf, readWebhookSecret } from '@notify/webhook-signature'
import { z } from 'zod'
import type { ProviderCopy } from './provider-store.ts'
import { sealSecret } from './secret.ts'

/** The contents of a provider of kind `webhook`: the secrets, and its own retry schedule (`5s,1m`), if it has one. */
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

/** Makes the copy of a provider, its secrets encrypted. @throws ZodError for credentials of another kind */
export function readCopy(
  keyRing: KeyRing,
  { credentials, ...provider }: Omit<ProviderCopy, 'secret' | 'former' | 'retry_delays'> & { credentials: unknown },
): ProviderCopy {
  const { secret, retry_delays = null, ...formerFields } = WebhookCredentials.parse(credentials)
  const seal = (text: string) => sealSecret(keyRing, text, provider.tenant_id, provider.id)
  const former = formerSecretsOf(formerFields).map((one) => ({ secret: seal(one.secret), until: one.until }))
  return { ...provider, secret: seal(secret), former, retry_delays }
}
