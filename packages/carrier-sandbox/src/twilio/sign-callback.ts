import { createHmac } from 'node:crypto'

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
