import { verify } from 'node:crypto'
import { Problem } from '@notify/service-kit'
import type { Certificates } from './certificates.ts'
import { pinnedAddress } from './pinned-address.ts'
import type { Envelope } from './sns-envelope.ts'

const hashes = new Map([
  ['1', 'RSA-SHA1'],
  ['2', 'RSA-SHA256'],
])

/**
 * Verifies that SNS signed the message. Its age is not checked, because SNS retries for as long as the subscription's
 * policy allows; MessageId identifies repetitions.
 * @throws Problem `invalid_signature`, or `service_unavailable` when the certificate cannot be fetched now
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html
 */
export async function verifyEnvelope(
  envelope: Envelope,
  certificates: Certificates,
  allowedOrigins: readonly string[],
): Promise<void> {
  const hash = hashes.get(envelope.SignatureVersion)
  if (!hash) throw invalid('SignatureVersion must be 1 or 2')
  const url = pinnedAddress(envelope.SigningCertURL, allowedOrigins)
  if (!url?.pathname.endsWith('.pem')) throw invalid('SigningCertURL is not a certificate of Amazon SNS')
  const key = await certificates.keyOf(url)
  const signature = Buffer.from(envelope.Signature, 'base64')
  if (!verify(hash, Buffer.from(stringToSign(envelope)), key, signature)) {
    throw invalid('Signature does not fit the message and its certificate')
  }
}

/** The signed fields, sorted by name; each name and value on its own line. */
function stringToSign(envelope: Envelope): string {
  const { MessageId, Message, TopicArn, Timestamp, Type } = envelope
  const common = { Message, MessageId, Timestamp, TopicArn, Type }
  const fields =
    envelope.Type === 'Notification'
      ? { ...common, Subject: envelope.Subject }
      : { ...common, SubscribeURL: envelope.SubscribeURL, Token: envelope.Token }
  return Object.entries(fields)
    .filter(([, value]) => typeof value === 'string')
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}\n${value}\n`)
    .join('')
}

const invalid = (detail: string) => new Problem('invalid_signature', detail)
