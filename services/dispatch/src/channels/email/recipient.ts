import { type DispatchRequest, oneLinePattern } from '@notify/contracts'
import { fieldProblem, type Problem } from '@notify/service-kit'
import type { EmailPayload } from './payload.ts'
import { readAddress } from './read-address.ts'

/** Whom an email is for, and its sender when that is not the provider's. */
export type Envelope = Pick<EmailPayload, 'to' | 'to_name' | 'from'>
type EnvelopeRequest = Pick<DispatchRequest, 'recipient'> & Partial<Pick<DispatchRequest, 'from'>>

const maxName = 200

/**
 * Reads the recipient of an email, and the sender if it is not the provider's.
 * @throws Problem `invalid_recipient`, or `validation_failed` naming `from`
 */
export function readEnvelope({ recipient, from }: EnvelopeRequest): Envelope {
  return { ...recipientOf(recipient), ...(from === undefined ? {} : { from: senderOf(from) }) }
}

function recipientOf(recipient: DispatchRequest['recipient']): Pick<EmailPayload, 'to' | 'to_name'> {
  const isText = typeof recipient === 'string'
  const path = isText ? 'recipient' : 'recipient.email'
  const text = isText ? recipient : recipient.email
  if (typeof text !== 'string') throw badRecipient(path, text === undefined ? 'is missing' : 'must be a string')
  const { address, fault } = readAddress(text)
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
  const { address, fault } = readAddress(text)
  if (fault !== undefined) throw fieldProblem('validation_failed', 'from', fault)
  return address
}

function badRecipient(path: string, message: string): Problem {
  return fieldProblem('invalid_recipient', path, message)
}
