import { z } from 'zod'

/** E.164: a plus sign and 7 to 15 digits, the first of which is not 0 (ITU-T E.164). */
export const e164Pattern = /^\+[1-9]\d{6,14}$/
/** The problem detail for a text that does not match {@link e164Pattern}. */
export const e164Fault = 'must be E.164: a plus sign, country code, 7 to 15 digits, no spaces or dashes'

/** A phone number. */
export const E164 = z.string().regex(e164Pattern, e164Fault).meta({ example: '+15551230001' })

/** The recipient that a query parameter names: `+` means a space there, so an unencoded number arrives with one. */
export const withPlus = (recipient: string): string => (/^ \d+$/.test(recipient) ? `+${recipient.slice(1)}` : recipient)

/** Longest address and local part, in octets (RFC 5321, 4.5.3.1). */
export const emailLimits = { address: 254, localPart: 64 } as const

/**
 * An ASCII address: dot-atom, @, and a host name of at least two labels whose last is not numeric. Check the length
 * first. Quoted local parts and address literals are excluded, because carriers refuse them.
 */
export const emailPattern =
  /^(?=[^@]{1,64}@)[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+(?!\d+$)[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/

/** An ASCII email address; internationalised domains in their xn-- form. */
export const EmailAddress = z
  .string()
  .max(emailLimits.address, `must have at most ${emailLimits.address} characters`)
  .regex(emailPattern, 'must be an ASCII email address such as orders@example.com')

/** One mailbox; its domain may be international. What no message could have is found where it is read. */
export const mailboxPattern = /^[^\s@<>"(),:;\\]{1,64}@[^\s@<>"(),:;\\.]+(?:\.[^\s@<>"(),:;\\.]+)+$/

/** Text without line breaks or control characters, so that it cannot inject a header. */
// Without \p{Cc}: patterns of JSON Schema need not support it.
export const oneLinePattern = /^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*$/

/** Event keys such as `order.shipped`. */
export const EventKey = z
  .string()
  .regex(/^[a-zA-Z0-9][a-zA-Z0-9._-]{0,127}$/, 'must be 1 to 128 letters, digits, dots, dashes or underscores')
  .meta({ description: 'Key of a published event of the application', example: 'order.shipped' })

/** An event's timestamp as Postgres writes it: ISO 8601 with offset. */
export const EventTime = z.iso.datetime({ offset: true })

/** Postgres has no year 0, and JavaScript writes years after 9999 in another form. */
const firstMs = Date.UTC(1970, 0)
const lastMs = Date.UTC(9999, 11, 31)

/** A moment: ISO 8601 with a zone, from 1970 on. */
export const MomentText = z.iso
  .datetime({ offset: true, error: 'must be a time with its zone in ISO 8601, e.g. 2026-11-21T09:30:00Z' })
  .refine((text) => {
    const ms = Date.parse(text)
    return ms >= firstMs && ms <= lastMs
  }, 'must be a time from 1970 to 9999')

/** A moment, in UTC: Postgres refuses offsets that ISO 8601 allows. */
export const UtcMoment = MomentText.transform((text) => new Date(text).toISOString())

/** Date and time on a clock, without a zone. */
export const LocalTime = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/, 'must be a date and time without a zone, e.g. 2026-11-21T09:30')
  .refine(
    (text) => new Date(`${text}Z`).toJSON()?.startsWith(text) === true,
    'must be a date of the calendar and a time of the day',
  )
  .meta({ example: '2026-11-21T09:30' })

/** ISO 8601 in UTC with milliseconds. */
export const Timestamp = z.iso.datetime({ precision: 3 }).meta({ example: '2026-11-21T09:30:00.000Z' })

const longestKeyword = 200

/** Invisible characters: default ignorable ones, format characters such as a zero-width space, and controls. */
const invisible = /[\p{Default_Ignorable_Code_Point}\p{Cf}]|(?!\s)\p{Cc}/gu

/**
 * Normalizes a whole message to compare it with keywords: without invisible characters, in compatibility form (NFKC), trimmed,
 * in lower case, inner white space folded, without trailing punctuation.
 * @example keywordOf(' Opt  Out! ') // 'opt out'
 * @example keywordOf('\u200bＳＴＯＰ') // 'stop'
 * @see https://www.unicode.org/reports/tr15/ (NFKC)
 */
export function keywordOf(message: string): string {
  const text = message.replace(invisible, '').trim()
  // A longer message is no keyword. Normalizing it could take long: combining marks are sorted by insertion.
  if (text.length > longestKeyword) return ''
  return text
    .normalize('NFKC')
    .replace(/(?<![\p{P}\s])[\p{P}\s]+$/u, '')
    .replace(/\s+/g, ' ')
    .toLowerCase()
}

/** A time on a clock. */
export const ClockTime = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 22:00')
