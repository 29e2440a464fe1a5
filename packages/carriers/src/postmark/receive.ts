import { headerOf, isSame, requireProof, secretsOf } from '../callback-proof.ts'
import { defineOwnReceiver, type ProvingAccount, secretIn } from '../own-address.ts'
import { parseCallback } from '../parse-callback.ts'
import type { Callback, Report } from '../receiver.ts'
import { readRecord } from './read-record.ts'

/**
 * Webhooks of Postmark, which signs nothing: they have the Basic auth that is set at the webhook.
 * @see https://postmarkapp.com/developer/webhooks/webhooks-overview#protecting-your-webhook
 */
export const postmarkReceiver = defineOwnReceiver({
  channel: 'email',
  keep: secretIn('webhook_password'),
  read: readWebhook,
})

function readWebhook(account: ProvingAccount, { body, headers }: Callback): readonly Report[] {
  const [, encoded = ''] = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(headerOf(headers, 'authorization')) ?? []
  const login = Buffer.from(encoded, 'base64').toString('utf8')
  const password = login.slice(login.indexOf(':') + 1)
  // No early end: the time must not tell which secret is nearer.
  const matches = secretsOf(account.secret).filter((secret) => isSame(password, secret))
  requireProof(matches.length > 0, 'The password of the Basic auth')
  return readRecord(account, parseCallback(body))
}
