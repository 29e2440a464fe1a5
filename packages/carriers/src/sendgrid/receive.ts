import { createPublicKey, verify } from 'node:crypto'
import { headerOf, requireFresh, requireProof, secretsOf } from '../callback-proof.ts'
import { defineOwnReceiver, type ProvingAccount, secretIn } from '../own-address.ts'
import { parseCallback } from '../parse-callback.ts'
import type { Callback, Report } from '../receiver.ts'
import { readEvents } from './read-event.ts'

/** SendGrid repeats a post for a day, and does not say that it signs it again. */
const windowS = 24 * 3600 + 300

/**
 * Posts of the Event Webhook: ECDSA over the timestamp and the body.
 * @see https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/getting-started-event-webhook-security-features
 */
export const sendgridReceiver = defineOwnReceiver({
  channel: 'email',
  keep: secretIn('verification_key'),
  read: readPost,
})

function readPost(account: ProvingAccount, { body, headers }: Callback): readonly Report[] {
  const name = 'x-twilio-email-event-webhook'
  const [signature, timestamp] = [headerOf(headers, `${name}-signature`), headerOf(headers, `${name}-timestamp`)]
  const signed = Buffer.concat([Buffer.from(timestamp), body])
  const isProven = secretsOf(account.secret).some((key) => isSignedBy(key, signed, signature))
  requireProof(isProven, 'X-Twilio-Email-Event-Webhook-Signature')
  requireFresh(timestamp, windowS)
  return readEvents(account, parseCallback(body))
}

/** @param key the base64 of a public key (SubjectPublicKeyInfo) */
function isSignedBy(key: string, signed: Buffer, signature: string): boolean {
  try {
    const publicKey = createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' })
    return verify('sha256', signed, publicKey, Buffer.from(signature, 'base64'))
  } catch {
    return false
  }
}
