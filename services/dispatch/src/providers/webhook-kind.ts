import { parseDurationMs } from '@notify/service-kit'
import { newWebhookSecret, readWebhookSecret } from '@notify/webhook-signature'
import { z } from 'zod'
import type { ProviderKind } from './provider-kind.ts'

const mostDelays = 20
const longestDelayMs = 7 * 86_400_000

/** What signs webhooks: the secret, the one before it while that is valid, and a retry schedule of its own. */
const WebhookCredentials = z
  .strictObject({
    secret: z
      .string()
      .refine(isSecret, 'must be whsec_ and base64 of 16 to 64 bytes')
      .meta({ title: 'Signing secret' }),
    previous_secret: z.string().refine(isSecret).optional().meta({ title: 'Previous secret' }),
    previous_until: z.iso.datetime().optional().meta({ title: 'Previous secret signs until' }),
    retry_delays: z
      .string()
      .max(200)
      .refine(areDelays, `must be up to ${mostDelays} durations of at most 7d, such as 5s,1m,10m`)
      .optional()
      .meta({
        title: 'Retry delays',
        description: 'Comma separated. Empty: those of the installation.',
        examples: ['5s,1m,10m'],
      }),
  })
  .meta({ title: 'Webhook signature' })

/** Providers of kind `webhook`. They have no carrier: webhook-delivery signs and sends. */
export const webhookKind: ProviderKind = {
  channel: 'webhook',
  credentials: WebhookCredentials,
  secrets: ['secret', 'previous_secret'],
  ours: ['secret', 'previous_secret', 'previous_until'],
  make: () => ({ secret: newWebhookSecret() }),
}

function isSecret(text: string): boolean {
  try {
    readWebhookSecret(text)
    return true
  } catch {
    return false
  }
}

function areDelays(text: string): boolean {
  const delays = text.split(',')
  try {
    return delays.length <= mostDelays && delays.every((delay) => parseDurationMs(delay) <= longestDelayMs)
  } catch {
    return false
  }
}
