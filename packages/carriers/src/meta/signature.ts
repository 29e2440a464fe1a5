import { createHmac, timingSafeEqual } from 'node:crypto'
import { Problem } from '@notify/service-kit'

/**
 * Verifies `X-Hub-Signature-256`: HMAC-SHA256 under an app secret over the bytes as they came.
 * @returns the secret that signed
 * @throws Problem `invalid_signature`
 * @see https://developers.facebook.com/docs/graph-api/webhooks/getting-started#validate-payloads
 */
export function requireSignature(
  appSecrets: readonly string[],
  body: Buffer,
  header: string | string[] | undefined,
): string {
  const [, digits] = /^sha256=([0-9a-f]{64})$/i.exec(typeof header === 'string' ? header : '') ?? []
  const macOf = (secret: string) => createHmac('sha256', secret).update(body).digest()
  const signing = digits && appSecrets.find((secret) => timingSafeEqual(Buffer.from(digits, 'hex'), macOf(secret)))
  if (signing) return signing
  throw new Problem('invalid_signature', 'X-Hub-Signature-256 does not match the body and the app secret of this URL')
}
