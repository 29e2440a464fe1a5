import { createHmac, timingSafeEqual } from 'node:crypto'
import { Problem } from '@notify/service-kit'

/**
 * Verifies `X-Hub-Signature-256`: HMAC-SHA256 under the app secret over the bytes as they came.
 * @throws Problem `invalid_signature`
 * @see https://developers.facebook.com/docs/graph-api/webhooks/getting-started#validate-payloads
 */
export function requireSignature(appSecret: string, body: Buffer, header: string | string[] | undefined): void {
  const [, digits] = /^sha256=([0-9a-f]{64})$/i.exec(typeof header === 'string' ? header : '') ?? []
  const expected = createHmac('sha256', appSecret).update(body).digest()
  if (digits && timingSafeEqual(Buffer.from(digits, 'hex'), expected)) return
  throw new Problem('invalid_signature', 'X-Hub-Signature-256 does not match the body and the app secret of this URL')
}
