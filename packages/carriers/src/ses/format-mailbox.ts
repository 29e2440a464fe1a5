import { encodeWord } from 'nodemailer/lib/mime-funcs'

/** Longest encoded word (RFC 2047 2), less what stands around the text. */
const wordLength = 52

/**
 * A mailbox as it stands in a header (RFC 5322 3.4): the name quoted, or in encoded words where it is not ASCII. Whatever the
 * name holds, the result is one line with one address.
 * @example formatMailbox('a@example.com', 'Łukasz') // =?UTF-8?B?xYF1a2Fzeg==?= <a@example.com>
 */
export function formatMailbox(address: string, name: string | undefined): string {
  // Names are refused at the door when they hold one of these; this holds for whatever comes by another way.
  const oneLine = name?.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()
  if (!oneLine) return address
  const isAscii = /^[\x20-\x7e]*$/.test(oneLine)
  const shown = isAscii ? `"${oneLine.replace(/[\\"]/g, '\\$&')}"` : encodeWord(oneLine, 'B', wordLength)
  return `${shown} <${address}>`
}
