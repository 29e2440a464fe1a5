import { createHash, createHmac } from 'node:crypto'
import { Problem } from '@notify/service-kit'
import { z } from 'zod'
import { headerOf, isSame, requireFresh, requireProof, secretsOf } from '../callback-proof.ts'
import { defineOwnReceiver, type ProvingAccount } from '../own-address.ts'
import { parseCallback } from '../parse-callback.ts'
import { readJson } from '../read-json.ts'
import type { Callback, Report } from '../receiver.ts'
import { readWebhook } from './read-webhook.ts'

/** Vonage repeats a webhook for a day, and does not say that it signs it again. */
const windowS = 24 * 3600 + 300

/**
 * Webhooks of the Messages API: a JWT (HS256) with the hash of the body.
 * @see https://developer.vonage.com/en/getting-started/concepts/webhooks#decoding-signed-webhooks
 */
export const vonageReceiver = defineOwnReceiver({
  channel: 'sms',
  keep: z
    .object({ api_key: z.string(), signature_secret: z.string().optional(), from: z.string() })
    .transform(({ api_key, signature_secret, from }) => ({
      accountId: api_key,
      secret: signature_secret,
      sender: from,
    })),
  read: receive,
})

const Header = z.object({ alg: z.literal('HS256') })
const Claims = z.object({ iat: z.number(), api_key: z.string(), payload_hash: z.string() })

function receive(account: ProvingAccount, { body, headers }: Callback): readonly Report[] {
  const authorization = headerOf(headers, 'authorization')
  // After an error of its own Vonage may send a callback without a token. It repeats them after 429 and 5xx alone, and a
  // stranger must not raise our 5xx.
  if (!/^Bearer /i.test(authorization))
    throw new Problem('rate_limited', 'The webhook has no token; send it again with one', {
      headers: { 'Retry-After': '5' },
    })
  const [, head = '', payload = '', signature = ''] = /^Bearer ([\w-]+)\.([\w-]+)\.([\w-]+)$/i.exec(authorization) ?? []
  const decode = (part: string) => readJson(Buffer.from(part, 'base64url').toString('utf8'))
  const macOf = (secret: string) => createHmac('sha256', secret).update(`${head}.${payload}`).digest('base64url')
  const isSigned = secretsOf(account.secret).some((secret) => isSame(signature, macOf(secret)))
  requireProof(isSigned && Header.safeParse(decode(head)).success, 'The token of the webhook')
  const claims = Claims.safeParse(decode(payload)).data
  requireProof(claims?.api_key === account.accountId, 'The account of the token')
  requireProof(isSame(claims!.payload_hash, createHash('sha256').update(body).digest('hex')), 'The hash of the body')
  requireFresh(claims!.iat, windowS)
  return readWebhook(account, parseCallback(body))
}
