import { createHmac } from 'node:crypto'
import { headerOf, isSame, requireFresh, requireProof } from '../callback-proof.ts'
import { defineOwnReceiver, type ProvingAccount, secretIn } from '../own-address.ts'
import { parseCallback } from '../parse-callback.ts'
import type { Callback, Report } from '../receiver.ts'
import { readEvent } from './read-event.ts'

/**
 * Webhooks of Resend, in the form of Standard Webhooks with the names of Svix: several signatures while a secret is
 * rotated.
 * @see https://resend.com/docs/dashboard/webhooks/verify-webhooks-requests
 * @see https://docs.svix.com/receiving/verifying-payloads/how-manual
 */
export const resendReceiver = defineOwnReceiver({
  channel: 'email',
  keep: secretIn('signing_secret'),
  read: readWebhook,
})

const mostSignatures = 10

/** The HMAC key of a secret: what follows `whsec_`, in base64. */
const keyOf = (secret: string) => Buffer.from(secret.slice(secret.indexOf('_') + 1), 'base64')

function readWebhook({ secret, ...account }: ProvingAccount, { body, headers }: Callback): readonly Report[] {
  const [id, timestamp] = [headerOf(headers, 'svix-id'), headerOf(headers, 'svix-timestamp')]
  const signatures = headerOf(headers, 'svix-signature').split(' ').slice(0, mostSignatures)
  const mac = createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.`).update(body)
  const expected = `v1,${mac.digest('base64')}`
  requireProof(id !== '' && signatures.some((signature) => isSame(signature, expected)), 'Svix-Signature')
  requireFresh(timestamp)
  return readEvent({ ...account, secret }, parseCallback(body))
}
