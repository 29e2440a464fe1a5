import { encodeWord } from 'nodemailer/lib/mime-funcs'

/** Longest text in an encoded word (RFC 2047, 2). */
const wordLength = 52

/**
 * Formats a mailbox for a header (RFC 5322, 3.4): the name quoted, or as encoded words if not ASCII. The result is always
 * one line with one address.
 * @example formatMailbox('a@example.com', 'Łukasz') // =?UTF-8?B?xYF1a2Fzeg==?= <a@example.com>
 */
export function formatMailbox(address: string, name: string | undefined): string {
  // Validation refuses these characters; this covers names from other sources.
  const oneLine = name?.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()
  if (!oneLine) return address
  const isAscii = /^[\x20-\x7e]*$/.test(oneLine)
  const shown = isAscii ? `"${oneLine.replace(/[\\"]/g, '\\$&')}"` : encodeWord(oneLine, 'B', wordLength)
  return `${shown} <${address}>`
}
