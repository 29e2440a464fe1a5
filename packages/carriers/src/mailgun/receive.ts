import { createHmac } from 'node:crypto'
import { Problem } from '@notify/service-kit'
import { z } from 'zod'
import { isSame, requireFresh, requireProof, secretsOf } from '../callback-proof.ts'
import { defineOwnReceiver, type ProvingAccount, secretIn } from '../own-address.ts'
import { parseCallback, parseUnproven } from '../parse-callback.ts'
import type { Callback, Report } from '../receiver.ts'
import { readEvent } from './read-event.ts'

/** Mailgun repeats a webhook for eight hours. */
const windowS = 8 * 3600 + 300

const Webhook = z.object({
  signature: z.object({
    timestamp: z.string().regex(/^\d{1,12}$/),
    token: z.string().min(1).max(100),
    signature: z.string(),
  }),
})

/**
 * Webhooks of Mailgun: HMAC-SHA256 over a timestamp and a token, not over the event. So each token counts for one body; a
 * repetition of that body changes nothing.
 * @see https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/securing-webhooks
 */
export const mailgunReceiver = defineOwnReceiver({
  channel: 'email',
  keep: secretIn('webhook_signing_key'),
  read: readWebhook,
  tokenOf: (callback) => signatureOf(callback).token,
})

function signatureOf({ body }: Callback) {
  const webhook = Webhook.safeParse(parseUnproven(body)).data
  if (!webhook) throw new Problem('invalid_signature', 'The webhook has no signature')
  return webhook.signature
}

function readWebhook(account: ProvingAccount, callback: Callback): readonly Report[] {
  const { timestamp, token, signature } = signatureOf(callback)
  const macOf = (key: string) =>
    createHmac('sha256', key)
      .update(timestamp + token)
      .digest('hex')
  requireProof(
    secretsOf(account.secret).some((key) => isSame(signature, macOf(key))),
    'The signature',
  )
  requireFresh(timestamp, windowS)
  return readEvent(account, parseCallback(callback.body))
}
