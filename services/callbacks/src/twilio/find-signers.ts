import { timingSafeEqual } from 'node:crypto'
import { Problem } from '@notify/service-kit'
import twilio from 'twilio'
import type { SmsProvider } from '../providers/sms-providers.ts'

const { getExpectedTwilioSignature, validateRequest } = twilio

interface SignedRequest {
  signature: string | string[] | undefined
  /** The public address that the carrier called, query included. */
  url: string
  parameters: Record<string, string | string[]>
}

/**
 * Finds the providers whose token made the signature, an HMAC-SHA1 over the public URL and the sorted fields: several may
 * share an account.
 * @returns at least one
 * @throws Problem `invalid_signature` when none did
 * @see https://www.twilio.com/docs/usage/security#validating-requests
 */
export function findSigners(
  providers: readonly SmsProvider[],
  { signature, url, parameters }: SignedRequest,
): [SmsProvider, ...SmsProvider[]] {
  const candidates = typeof signature === 'string' ? providers : []
  const [first, ...others] = candidates.filter(
    ({ authToken }) =>
      signedAsItIs(authToken, signature as string, url, parameters) ||
      validateRequest(authToken, signature as string, url, parameters),
  )
  if (first) return [first, ...others]
  throw new Problem(
    'invalid_signature',
    'X-Twilio-Signature does not fit this request, the public URL and an account known here',
  )
}

/** The usual case, for one signature's cost: the SDK makes up to six, of the address without a port first. */
function signedAsItIs(...[authToken, signature, url, parameters]: Parameters<typeof validateRequest>): boolean {
  const given = Buffer.from(signature)
  const expected = Buffer.from(getExpectedTwilioSignature(authToken, url, parameters))
  return given.length === expected.length && timingSafeEqual(given, expected)
}
