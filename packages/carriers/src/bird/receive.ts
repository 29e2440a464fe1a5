import { createHash, createHmac } from 'node:crypto'
import { z } from 'zod'
import { headerOf, isSame, requireFresh, requireProof, secretsOf } from '../callback-proof.ts'
import { defineOwnReceiver, type ProvingAccount } from '../own-address.ts'
import { parseCallback } from '../parse-callback.ts'
import type { Callback, Report } from '../receiver.ts'
import { readEvent } from './read-event.ts'

/** Bird repeats an event for eight hours, and does not say that it signs it again. */
const windowS = 8 * 3600 + 300

interface State {
  publicUrl: string
}

/**
 * Events of webhook subscriptions: HMAC-SHA256 over the timestamp, the address and the hash of the body.
 * @see https://docs.bird.com/api/notifications-api/api-reference/webhook-subscriptions/verifying-a-webhook-subscription
 */
export const birdReceiver = defineOwnReceiver({
  channel: 'sms',
  keep: z
    .object({ signing_key: z.string().optional(), channel_id: z.string() })
    .transform(({ signing_key, channel_id }) => ({ secret: signing_key, accountId: channel_id })),
  start: ({ publicUrl }): State => ({ publicUrl }),
  read: receive,
})

function receive(account: ProvingAccount, { body, headers, url }: Callback, { publicUrl }: State): readonly Report[] {
  const timestamp = headerOf(headers, 'messagebird-request-timestamp')
  const signature = Buffer.from(headerOf(headers, 'messagebird-signature'), 'base64')
  const signed = Buffer.concat([
    Buffer.from(`${timestamp}\n${publicUrl}${url}\n`),
    createHash('sha256').update(body).digest(),
  ])
  const macOf = (key: string) => createHmac('sha256', key).update(signed).digest()
  requireProof(
    secretsOf(account.secret).some((key) => isSame(signature, macOf(key))),
    'Messagebird-Signature',
  )
  requireFresh(timestamp, windowS)
  return readEvent(account, parseCallback(body))
}
