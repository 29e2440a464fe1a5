import { Problem, parseJson, requireShape } from '@notify/service-kit'
import { z } from 'zod'

const text = z.string()
const signed = {
  MessageId: z.string().regex(/^[A-Za-z0-9-]{1,100}$/),
  TopicArn: z.string().min(1).max(256),
  Message: text,
  Timestamp: text,
  // Absent fields fail the verification, which gives a clearer error.
  SignatureVersion: text.default(''),
  Signature: text.default(''),
  SigningCertURL: text.default(''),
}
const subscription = { ...signed, SubscribeURL: text, Token: text }

/** What SNS posts. @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-and-json-formats.html */
const Envelope = z.discriminatedUnion('Type', [
  z.object({ Type: z.literal('Notification'), ...signed, Subject: text.nullish() }),
  z.object({ Type: z.literal('SubscriptionConfirmation'), ...subscription }),
  z.object({ Type: z.literal('UnsubscribeConfirmation'), ...subscription }),
])
export type Envelope = z.output<typeof Envelope>

/**
 * Parses an SNS message regardless of Content-Type: text/plain unless the subscription sets another.
 * @throws Problem `invalid_json` or `validation_failed`
 */
export function readEnvelope(body: Buffer): Envelope {
  const { value } = parseJson(body)
  if (typeof value === 'object' && value !== null && !('Type' in value)) {
    throw new Problem(
      'validation_failed',
      'Type is missing; disable raw message delivery, since raw messages are not signed',
    )
  }
  return requireShape(Envelope, value)
}
