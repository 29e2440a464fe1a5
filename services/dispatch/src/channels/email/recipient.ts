import { type AttachmentInput, type DispatchRequest, oneLinePattern } from '@notify/contracts'
import { fieldProblem, type Problem, readEmailAddress } from '@notify/service-kit'
import type { EmailPayload } from './payload.ts'
import { maxName, readMailboxes } from './read-mailboxes.ts'

/** Everything of an email but its content. */
export type Envelope = Omit<EmailPayload, 'channel' | 'subject' | 'text' | 'html'>
type EnvelopeRequest = Pick<DispatchRequest, 'recipient'> &
  Partial<Pick<DispatchRequest, 'from' | 'reply_to' | 'cc' | 'bcc' | 'headers' | 'attachments'>>

/**
 * Reads the recipients and the headers of an email, and the sender if it is not the provider's.
 * @throws Problem `invalid_recipient`, or `validation_failed` naming `from` or `reply_to`
 */
export function readEnvelope({ recipient, from, headers, attachments = [], ...others }: EnvelopeRequest): Envelope {
  const to = recipientOf(recipient)
  return {
    ...to,
    ...(from === undefined ? {} : { from: senderOf(from) }),
    ...readMailboxes(others, to.to),
    ...(attachments.length > 0 ? { attachments: attachments.map(described) } : {}),
    ...(headers && Object.keys(headers).length > 0 ? { headers } : {}),
  }
}

const described = ({ filename, content_type, content_id }: AttachmentInput) => ({
  filename,
  content_type,
  ...(content_id === undefined ? {} : { content_id }),
})

function recipientOf(recipient: DispatchRequest['recipient']): Pick<EmailPayload, 'to' | 'to_name'> {
  const isText = typeof recipient === 'string'
  const path = isText ? 'recipient' : 'recipient.email'
  const text = isText ? recipient : recipient.email
  if (typeof text !== 'string') throw badRecipient(path, text === undefined ? 'is missing' : 'must be a string')
  const { address, fault } = readEmailAddress(text)
  if (fault !== undefined) throw badRecipient(path, fault)
  const name = isText ? undefined : recipient.name
  if (name === undefined) return { to: address }
  if (typeof name !== 'string') throw badRecipient('recipient.name', 'must be a string')
  if (name.length > maxName) throw badRecipient('recipient.name', `must have at most ${maxName} characters`)
  if (!oneLinePattern.test(name)) {
    throw badRecipient('recipient.name', 'must be one line, without control characters')
  }
  const to_name = name.trim()
  return to_name === '' ? { to: address } : { to: address, to_name }
}

function senderOf(text: string): string {
  const { address, fault } = readEmailAddress(text)
  if (fault !== undefined) throw fieldProblem('validation_failed', 'from', fault)
  return address
}

function badRecipient(path: string, message: string): Problem {
  return fieldProblem('invalid_recipient', path, message)
}
