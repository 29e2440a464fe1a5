import { createHmac, timingSafeEqual } from 'node:crypto'

/** A request that is not a webhook of the service, or not of this moment. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
}

type HeaderRecord = Readonly<Record<string, string | readonly string[] | undefined>>

const toleranceSeconds = 300

/** The two sets of headers that a webhook carries; either proves it. */
const schemes = [
  { prefix: 'x-svc', separator: ',', version: 'v1=', encoding: 'hex' },
  { prefix: 'webhook', separator: ' ', version: 'v1,', encoding: 'base64' },
] as const

/**
 * Verifies a webhook by its `X-SVC-*` headers, or by those of Standard Webhooks when it has no others.
 * @param headers of the request, as `fetch` or `node:http` give them
 * @param body the raw body, before anything parses it
 * @param secrets `whsec_…`, as it was shown once; several while it is being rotated
 * @returns the body's JSON
 * @throws WebhookVerificationError when a header is missing, the timestamp is more than 5 minutes off, no signature fits, or
 *   the body is not JSON
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function verifyWebhook(
  headers: Headers | HeaderRecord,
  body: string | Uint8Array,
  secrets: string | readonly string[],
): unknown {
  const scheme = schemes.find(({ prefix }) => headerOf(headers, `${prefix}-signature`)) ?? schemes[0]
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((part) => {
    const value = headerOf(headers, `${scheme.prefix}-${part}`)
    if (!value) throw new WebhookVerificationError(`the header ${scheme.prefix}-${part} is missing`)
    return value
  }) as [string, string, string]
  const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN
  if (!(Math.abs(Date.now() / 1000 - seconds) <= toleranceSeconds)) {
    throw new WebhookVerificationError('the timestamp is more than 5 minutes off')
  }
  const bytes = Buffer.from(body as Uint8Array)
  const expected = [secrets]
    .flat()
    .map((secret) => createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.`).update(bytes).digest())
  const given = signatures
    .split(scheme.separator)
    .map((signature) => signature.trim())
    .filter((signature) => signature.startsWith(scheme.version))
    .map((signature) => Buffer.from(signature.slice(scheme.version.length), scheme.encoding))
  const fits = given.some((mac) => expected.some((one) => mac.length === one.length && timingSafeEqual(mac, one)))
  if (!fits) throw new WebhookVerificationError('no signature fits the body and the secret')
  return parsed(bytes)
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch (cause) {
    throw new WebhookVerificationError('the body is not JSON', { cause })
  }
}

function keyOf(secret: string): Buffer {
  const encoded = secret.startsWith('whsec_') ? secret.slice('whsec_'.length) : ''
  const key = Buffer.from(encoded, 'base64')
  // An empty key would fit whatever is signed with none.
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded) || key.length < 16)
    throw new TypeError('the secret must be whsec_ and base64')
  return key
}

function headerOf(headers: Headers | HeaderRecord, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return typeof value === 'string' ? value : value?.[0]
}
