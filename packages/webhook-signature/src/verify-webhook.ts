import { timingSafeEqual } from 'node:crypto'
import { macOf, readWebhookSecret } from './sign-webhook.ts'

/** A request that is not a webhook of ours, or not of this moment. */
export class WebhookVerificationError extends Error {
  override name = 'WebhookVerificationError'
}

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

const toleranceSeconds = 300

/**
 * Verifies a webhook by its `X-SVC-*` headers.
 * @param headers of the request; names in any case
 * @param body the raw body, before anything parses it
 * @param secret `whsec_…`, as it was shown once
 * @returns the body's JSON
 * @throws WebhookVerificationError when a header is missing, the timestamp is more than 5 minutes off, or no signature fits
 */
export function verifyWebhook(headers: Headers, body: string | Uint8Array, secret: string): unknown {
  const id = headerOf(headers, 'x-svc-id')
  const timestamp = headerOf(headers, 'x-svc-timestamp')
  const signatures = headerOf(headers, 'x-svc-signature')
  const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN
  if (!(Math.abs(Date.now() / 1000 - seconds) <= toleranceSeconds)) {
    throw new WebhookVerificationError('the timestamp is missing, or more than 5 minutes off')
  }
  const text = typeof body === 'string' ? body : Buffer.from(body).toString('utf8')
  const expected = macOf({ id, timestamp: seconds, body: text }, readWebhookSecret(secret))
  const fits = signatures.split(',').some((signature) => {
    const [, hex] = /^v1=([0-9a-f]{64})$/.exec(signature.trim()) ?? []
    return hex !== undefined && timingSafeEqual(Buffer.from(hex, 'hex'), expected)
  })
  if (!fits) throw new WebhookVerificationError('no signature fits the body and the secret')
  return JSON.parse(text)
}

function headerOf(headers: Headers, name: string): string {
  const entry = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  const value = typeof entry === 'string' ? entry : entry?.[0]
  if (!value) throw new WebhookVerificationError(`the header ${name} is missing`)
  return value
}
