import { encodeWord } from 'nodemailer/lib/mime-funcs'

/** Longest text in an encoded word (RFC 2047, 2). */
const wordLength = 52

/** The characters that end an unquoted name (RFC 5322, 3.2.3), without the dot, which every reader takes. */
export const specials = /[()<>[\]:;@\\,"]/

export const quoted = (name: string) => `"${name.replace(/[\\"]/g, '\\$&')}"`

/** The name as encoded words (RFC 2047), ASCII or not. */
export const encoded = (name: string) => encodeWord(name, 'B', wordLength)

/** Validation refuses these characters; this covers names from other sources. */
export const oneLineOf = (name = '') => name.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()

/**
 * Formats a mailbox for a header (RFC 5322, 3.4): the name quoted, or as encoded words if not ASCII. The result is always
 * one line with one address.
 * @example formatMailbox('a@example.com', 'Łukasz') // =?UTF-8?B?xYF1a2Fzeg==?= <a@example.com>
 */
export function formatMailbox(address: string, name: string | undefined): string {
  const oneLine = oneLineOf(name)
  if (!oneLine) return address
  const isAscii = /^[\x20-\x7e]*$/.test(oneLine)
  return `${isAscii ? quoted(oneLine) : encoded(oneLine)} <${address}>`
}
