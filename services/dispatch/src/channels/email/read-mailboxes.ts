import { type DispatchRequest, type ErrorCode, type Mailboxes, oneLinePattern } from '@notify/contracts'
import { fieldProblem, readEmailAddress } from '@notify/service-kit'
import type { Mailbox } from './payload.ts'

/** Longest name of a mailbox. */
export const maxName = 200

type MailRequest = Partial<Pick<DispatchRequest, 'reply_to' | 'cc' | 'bcc'>>

/** Where answers go, and who receives a copy. */
export interface Mailboxed {
  reply_to?: Mailbox[]
  cc?: Mailbox[]
  bcc?: Mailbox[]
}

/**
 * Reads the other addresses of an email. Nobody is written to twice.
 * @param to the recipient
 * @throws Problem `invalid_recipient` for a copy, `validation_failed` for `reply_to`, naming the entry
 */
export function readMailboxes({ reply_to, cc, bcc }: MailRequest, to: string): Mailboxed {
  const known = new Set([keyOf(to)])
  const copies = (field: 'cc' | 'bcc', given: Mailboxes) =>
    listed(field, given).map(([path, one]) => {
      const mailbox = readMailbox(path, one, 'invalid_recipient')
      const key = keyOf(mailbox.address)
      if (known.has(key)) throw fieldProblem('invalid_recipient', path, 'is a recipient already')
      known.add(key)
      return mailbox
    })
  return {
    ...(reply_to !== undefined && {
      reply_to: listed('reply_to', reply_to).map(([path, one]) => readMailbox(path, one, 'validation_failed')),
    }),
    ...(cc !== undefined && { cc: copies('cc', cc) }),
    ...(bcc !== undefined && { bcc: copies('bcc', bcc) }),
  }
}

/** Mail servers may tell the case of the part before the @ apart; people do not. */
const keyOf = (address: string) => address.toLowerCase()

type Given = Exclude<Mailboxes, readonly unknown[]>

const listed = (field: string, given: Mailboxes): (readonly [path: string, one: Given])[] =>
  Array.isArray(given) ? given.map((one, at) => [`${field}.${at}`, one] as const) : [[field, given]]

function readMailbox(path: string, given: Given, code: ErrorCode): Mailbox {
  const isText = typeof given === 'string'
  const { address, fault } = readEmailAddress(isText ? given : given.email)
  if (fault !== undefined) throw fieldProblem(code, isText ? path : `${path}.email`, fault)
  const name = isText ? '' : (given.name ?? '').trim()
  if (name.length > maxName) throw fieldProblem(code, `${path}.name`, `must have at most ${maxName} characters`)
  if (!oneLinePattern.test(name)) {
    throw fieldProblem(code, `${path}.name`, 'must be one line, without control characters')
  }
  return name === '' ? { address } : { address, name }
}
