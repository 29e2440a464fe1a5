import { createPublicKey, verify } from 'node:crypto'
import { z } from 'zod'
import { headerOf, requireFresh, requireProof, secretsOf } from '../callback-proof.ts'
import { defineOwnReceiver, type ProvingAccount } from '../own-address.ts'
import { parseCallback } from '../parse-callback.ts'
import type { Callback, Report } from '../receiver.ts'
import { correlationKeyOf, provenCorrelation } from './correlation.ts'
import { readEvent } from './read-event.ts'

/**
 * Webhooks of Telnyx: Ed25519 over the timestamp, a bar and the body.
 * @see https://developers.telnyx.com/docs/messaging/messages/receiving-webhooks
 */
export const telnyxReceiver = defineOwnReceiver({
  channel: 'sms',
  keep: z
    .object({ api_key: z.string(), public_key: z.string().optional(), from: z.string() })
    .transform(({ api_key, public_key, from }) => ({
      secret: public_key,
      sender: from,
      verifyToken: correlationKeyOf(api_key),
    })),
  read: readWebhook,
})

function readWebhook(account: ProvingAccount, { body, headers, url }: Callback): readonly Report[] {
  const timestamp = headerOf(headers, 'telnyx-timestamp')
  const signature = Buffer.from(headerOf(headers, 'telnyx-signature-ed25519'), 'base64')
  const signed = Buffer.concat([Buffer.from(`${timestamp}|`), body])
  const isProven = secretsOf(account.secret).some((key) => isSignedBy(key, signed, signature))
  requireProof(isProven, 'Telnyx-Signature-Ed25519')
  requireFresh(timestamp)
  return readEvent(account, parseCallback(body), provenCorrelation(url, account.verifyToken))
}

/** @param key the base64 of the 32 bytes of a public key */
function isSignedBy(key: string, signed: Buffer, signature: Buffer): boolean {
  try {
    const x = Buffer.from(key, 'base64').toString('base64url')
    return verify(null, signed, createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }), signature)
  } catch {
    return false
  }
}
