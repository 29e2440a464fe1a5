import { createHmac, randomBytes } from 'node:crypto'

const prefix = 'whsec_'
const keyBytes = { new: 32, least: 16, most: 64 }

/** What is signed. */
export interface WebhookMessage {
  id: string
  /** Unix time of the attempt, in seconds. */
  timestamp: number
  /** The bytes of the body as they are sent. */
  body: string
}

/** A new signing secret: `whsec_` and the base64 of 32 random bytes. */
export function newWebhookSecret(): string {
  return prefix + randomBytes(keyBytes.new).toString('base64')
}

/**
 * The HMAC key of a secret.
 * @throws Error when it is not `whsec_` and the base64 of 16 to 64 bytes; the message does not show it
 */
export function readWebhookSecret(secret: string): Buffer {
  const encoded = secret.startsWith(prefix) ? secret.slice(prefix.length) : ''
  const key = Buffer.from(encoded, 'base64')
  const isBase64 = /^[A-Za-z0-9+/]+={0,2}$/.test(encoded)
  if (!isBase64 || key.length < keyBytes.least || key.length > keyBytes.most) {
    throw new Error('must be whsec_ and the base64 of 16 to 64 bytes')
  }
  return key
}

/**
 * The headers that prove where a webhook comes from: `X-SVC-*`, and those of Standard Webhooks.
 * @param secrets the current one, and those that were rotated out a short while ago
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function signWebhook(message: WebhookMessage, secrets: readonly string[]): Record<string, string> {
  const macs = secrets.map((secret) => macOf(message, readWebhookSecret(secret)))
  const timestamp = String(message.timestamp)
  return {
    'x-svc-id': message.id,
    'x-svc-timestamp': timestamp,
    'x-svc-signature': macs.map((mac) => `v1=${mac.toString('hex')}`).join(','),
    'webhook-id': message.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': macs.map((mac) => `v1,${mac.toString('base64')}`).join(' '),
  }
}

function macOf({ id, timestamp, body }: WebhookMessage, key: Buffer): Buffer {
  return createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest()
}
