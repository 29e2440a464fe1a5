import { createHash } from 'node:crypto'
import { addressIn } from './address-in.ts'

const marked = /^([0-9a-f]{16})-([0-9a-f]{16})$/

/**
 * The mark of an address in the receipts of a message. Without the salt, which only the carrier and the sender know, it
 * cannot be guessed.
 */
export function markOf(salt: string, address: string): string {
  return createHash('sha256').update(`${salt} ${address.toLowerCase()}`).digest('hex').slice(0, 16)
}

/** What travels with a message that has copies, so that its receipts tell whom they are about. */
export function recipientTag(salt: string, to: string): string {
  return `${salt}-${markOf(salt, to)}`
}

/**
 * Whom a report is about.
 * @param tag what travelled, undefined where the message has no copies
 * @param mailbox an address, perhaps with a name
 * @returns the mark of a copy's recipient; undefined where it is about the message's own, or names nobody
 */
export function copyOf(tag: unknown, mailbox: string | undefined): string | undefined {
  const [, salt, own] = (typeof tag === 'string' && marked.exec(tag)) || []
  if (salt === undefined || !mailbox) return undefined
  const mark = markOf(salt, addressIn(mailbox))
  return mark === own ? undefined : mark
}
