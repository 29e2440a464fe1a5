import { z } from 'zod'

/** E.164: a plus sign, a country code without leading zero, 7 to 15 digits in all (ITU-T E.164). */
export const e164Pattern = /^\+[1-9]\d{6,14}$/

/** Most octets of an address and of the part before its @ (RFC 5321 4.5.3.1). */
export const emailLimits = { address: 254, localPart: 64 } as const

/**
 * An address in ASCII: a dot-atom, an @, and a host name of at least two labels, the last of which is no number. Check the
 * length first. Quoted local parts and address literals are left out on purpose: carriers refuse them.
 */
export const emailPattern =
  /^(?=[^@]{1,64}@)[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+(?!\d+$)[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/

/** An email address as carriers take it: ASCII, with an internationalised domain in its xn-- form. */
export const EmailAddress = z
  .string()
  .max(emailLimits.address, `must have at most ${emailLimits.address} characters`)
  .regex(emailPattern, 'must be an ASCII email address such as orders@example.com')

/** Text that stands in one header line: no line break, no other control character, so that it cannot add a header. */
export const oneLinePattern = /^[^\p{Cc}\u2028\u2029]*$/u

/** Keys such as `order.shipped`. */
export const EventKey = z
  .string()
  .regex(/^[a-zA-Z0-9][a-zA-Z0-9._-]{0,127}$/, 'must be 1 to 128 letters, digits, dots, dashes or underscores')
  .meta({ description: 'Key of a published event of the application', example: 'order.shipped' })

/** A time in an event, as Postgres writes it: ISO 8601 with offset. */
export const EventTime = z.iso.datetime({ offset: true })

/** ISO 8601 in UTC with milliseconds. */
export const Timestamp = z.iso.datetime({ precision: 3 }).meta({ example: '2026-11-21T09:30:00.000Z' })

const longestKeyword = 200

/**
 * A whole message as a keyword is compared: trimmed, in lower case, inner white space folded, without trailing punctuation.
 * @example keywordOf(' Opt  Out! ') // 'opt out'
 */
export function keywordOf(message: string): string {
  const text = message.trim()
  // A longer message is no keyword, and is not searched.
  if (text.length > longestKeyword) return ''
  return text
    .replace(/(?<![\p{P}\s])[\p{P}\s]+$/u, '')
    .replace(/\s+/g, ' ')
    .toLowerCase()
}
