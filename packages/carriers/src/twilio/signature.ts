import { timingSafeEqual } from 'node:crypto'
import { Problem } from '@notify/service-kit'
// The SDK's main module loads its whole client.
import { getExpectedTwilioSignature, validateRequest } from 'twilio/lib/webhooks/webhooks.js'
import { secretsOf } from '../callback-proof.ts'
import type { ReceivingAccount } from '../receiver.ts'

interface SignedRequest {
  signature: string | string[] | undefined
  /** The public URL that the carrier called, including the query. */
  url: string
  parameters: Record<string, string | string[]>
}

/**
 * Whether a token of the account made the signature, an HMAC-SHA1 over the public URL and the sorted fields.
 * @see https://www.twilio.com/docs/usage/security#validating-requests
 */
export function hasSigned({ secret }: ReceivingAccount, { signature, url, parameters }: SignedRequest): boolean {
  if (typeof signature !== 'string') return false
  return secretsOf(secret ?? '').some(
    (token) => signedAsItIs(token, signature, url, parameters) || validateRequest(token, signature, url, parameters),
  )
}

/**
 * Finds the accounts that have signed. Several tenants may share one account.
 * @returns at least one
 * @throws Problem `invalid_signature` when none did
 */
export function findSigners(
  accounts: readonly ReceivingAccount[],
  request: SignedRequest,
): [ReceivingAccount, ...ReceivingAccount[]] {
  const [first, ...others] = accounts.filter((account) => hasSigned(account, request))
  if (first) return [first, ...others]
  throw new Problem(
    'invalid_signature',
    'X-Twilio-Signature does not match the request, the public URL and a configured account',
  )
}

/** The usual case at the cost of one HMAC: the SDK computes up to six variants. */
function signedAsItIs(...[authToken, signature, url, parameters]: Parameters<typeof validateRequest>): boolean {
  const given = Buffer.from(signature)
  const expected = Buffer.from(getExpectedTwilioSignature(authToken, url, parameters))
  return given.length === expected.length && timingSafeEqual(given, expected)
}
