import type { CarrierKind } from '@notify/carriers/kinds'
import { webhookRetryDelays } from '@notify/contracts'
import { parseDurationMs } from '@notify/service-kit'
import { newWebhookSecret, readWebhookSecret } from '@notify/webhook-signature'
import { z } from 'zod'

const { most, leastMs, longestMs } = webhookRetryDelays

/** The signing secret, the two previous ones while they are valid, and an optional retry schedule. */
const WebhookCredentials = z
  .strictObject({
    secret: z
      .string()
      .refine(isSecret, 'must be whsec_ and base64 of 16 to 64 bytes')
      .meta({ title: 'Signing secret' }),
    previous_secret: z.string().refine(isSecret).optional().meta({ title: 'Previous secret' }),
    previous_until: z.iso.datetime().optional().meta({ title: 'Previous secret signs until' }),
    older_secret: z.string().refine(isSecret).optional().meta({ title: 'Secret before the previous one' }),
    older_until: z.iso.datetime().optional().meta({ title: 'Secret before the previous one signs until' }),
    retry_delays: z
      .string()
      .max(200)
      .refine(
        areDelays,
        `must be up to ${most} durations of at most 7d, such as 5s,1m,10m, all but the first of at least ${leastMs / 1000}s`,
      )
      .optional()
      .meta({
        title: 'Retry delays',
        description: 'Comma separated, the second and later ones at least 1s. Empty: those of the installation.',
        examples: ['5s,1m,10m'],
      }),
  })
  .meta({ title: 'Webhook signature' })

/** Providers of kind `webhook`. They have no carrier: webhook-delivery signs and sends. */
export const webhookKind: Omit<CarrierKind, 'environment'> = {
  channel: 'webhook',
  credentials: WebhookCredentials,
  secrets: ['secret', 'previous_secret', 'older_secret'],
  ours: ['secret', 'previous_secret', 'previous_until', 'older_secret', 'older_until'],
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
  try {
    const delaysMs = text.split(',').map(parseDurationMs)
    const isLate = (ms: number, at: number) => ms <= longestMs && (at === 0 || ms >= leastMs)
    return delaysMs.length <= most && delaysMs.every(isLate)
  } catch {
    return false
  }
}
