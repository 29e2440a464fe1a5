import { encoded, oneLineOf, quoted, specials } from '../format-mailbox.ts'

/** Resend answers 451 to an encoded word as the name of a sender, so that the name is Unicode. */
export function senderText(address: string, name: string | undefined): string {
  const oneLine = oneLineOf(name)
  return oneLine ? `${specials.test(oneLine) ? quoted(oneLine) : oneLine} <${address}>` : address
}

/** Words of letters, digits and what may stand beside them (RFC 5322, 3.2.3). */
const atoms = /^[\w!#$%&'*+\-/=?^`{|}~ ]+$/

/** Resend answers 422 to a quoted name of a recipient, so that a name with other characters is encoded. */
export function recipientText(address: string, name: string | undefined): string {
  const oneLine = oneLineOf(name)
  if (!oneLine) return address
  // What looks like an encoded word would be decoded.
  const isPlain = atoms.test(oneLine) && !oneLine.includes('=?')
  return `${isPlain ? oneLine : encoded(oneLine)} <${address}>`
}
