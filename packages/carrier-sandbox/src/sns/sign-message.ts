import { type KeyObject, sign } from 'node:crypto'

/** 1 signs with SHA-1, 2 with SHA-256. */
export type SignatureVersion = '1' | '2'

/** The fields that are signed, in their order, if the message has them. */
const signedFields = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
} as const

/** A message before it is signed. */
export interface SnsMessage {
  Type: keyof typeof signedFields
  MessageId: string
  TopicArn: string
  Subject?: string
  Message: string
  Timestamp: string
  Token?: string
  SubscribeURL?: string
}

/**
 * The text under a message's signature: each field's name and value on a line of its own.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message-verify-message-signature.html
 */
function signedText(message: SnsMessage): string {
  return signedFields[message.Type]
    .filter((field) => message[field as keyof SnsMessage] !== undefined)
    .map((field) => `${field}\n${message[field as keyof SnsMessage]}\n`)
    .join('')
}

/** The signature in base64. */
export function signMessage(message: SnsMessage, version: SignatureVersion, privateKey: KeyObject): string {
  const algorithm = version === '1' ? 'RSA-SHA1' : 'RSA-SHA256'
  return sign(algorithm, Buffer.from(signedText(message)), privateKey).toString('base64')
}
