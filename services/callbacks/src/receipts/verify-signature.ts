import { Problem } from '@notify/service-kit'
import twilio from 'twilio'
import type { SmsProvider } from '../providers/sms-providers.ts'

const { validateRequest } = twilio

interface SignedRequest {
  signature: string | string[] | undefined
  /** The public address that the carrier called, query included. */
  url: string
  parameters: Record<string, string | string[]>
}

/**
 * Finds the provider whose token made the signature: HMAC-SHA1 over the public URL and the sorted fields. Of several that
 * share an account, the one that the address names is taken; a name in the address proves nothing by itself.
 * @param named the provider in our correlation
 * @throws Problem `invalid_signature` when none did
 * @see https://www.twilio.com/docs/usage/security#validating-requests
 */
export function verifySignature(
  providers: readonly SmsProvider[],
  { signature, url, parameters }: SignedRequest,
  named: string | undefined,
): SmsProvider {
  const candidates = typeof signature === 'string' ? providers : []
  const signers = candidates.filter(({ authToken }) => validateRequest(authToken, signature as string, url, parameters))
  const signer = signers.find(({ id }) => id === named) ?? signers[0]
  if (signer) return signer
  throw new Problem(
    'invalid_signature',
    'X-Twilio-Signature does not fit this request, the public URL and an account known here',
  )
}
