import { createHmac, randomUUID } from 'node:crypto'
import { stringify } from 'node:querystring'
import type { Callback } from '../callbacks/callback-sender.ts'
import type { TwilioAccount } from './account.ts'

/**
 * The `X-Twilio-Signature` of a form callback: base64 of HMAC-SHA1 under the auth token over the full URL, query
 * included, and then each parameter's name and value in the order of the names.
 * @see https://www.twilio.com/docs/usage/webhooks/webhooks-security#validating-signatures-from-twilio
 */
export function signCallback(authToken: string, url: string, parameters: Readonly<Record<string, string>>): string {
  let signed = url
  for (const name of Object.keys(parameters).sort()) signed += name + parameters[name]
  return createHmac('sha1', authToken).update(signed).digest('base64')
}

/** A signed form callback to a customer's address. */
export function signedCallback(
  { authToken }: TwilioAccount,
  url: string,
  parameters: Record<string, string>,
): Callback {
  return {
    url,
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded; charset=utf-8',
      'User-Agent': 'TwilioProxy/1.1',
      'X-Twilio-Signature': signCallback(authToken, url, parameters),
      'I-Twilio-Idempotency-Token': randomUUID(),
    },
    body: stringify(parameters),
  }
}
