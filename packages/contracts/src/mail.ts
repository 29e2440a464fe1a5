import { z } from 'zod'
import { Attachments, attachmentFaults, attachmentLimits } from './mail-attachments.ts'

/** Most recipients of an email together: the recipient, `cc` and `bcc`. */
export const maxMailRecipients = 50

/** Most addresses of `reply_to`. */
const maxReplyTo = 10

/** Most headers of the caller. */
export const maxMailHeaders = 20

/** In characters; a line of a message has at most 998 (RFC 5322, 2.1.1). */
const headerLimits = { name: 76, value: 900, together: 8192 } as const

const Mailbox = z.union([z.string(), z.strictObject({ email: z.string(), name: z.string().optional() })])

const form = 'must be an address, an object such as {"email": "ada@example.com", "name": "Ada"}, or a list of them'

/** One address or several, each with or without a name. */
const Mailboxes = z.union([Mailbox, z.array(Mailbox).min(1)], { error: form })
export type Mailboxes = z.output<typeof Mailboxes>

/** Names that a caller may set: those of the sender's own, of threads, and of mailing lists (RFC 2369, 8058, 2919). */
const allowedHeader = /^(?:X-[A-Za-z0-9-]+|In-Reply-To|References|List-[A-Za-z-]+)$/i

/** Headers that we or the carriers set, or by which carriers take instructions. */
const reservedHeader =
  /^X-(?:Notification-Id|SMTPAPI|(?:SES|AWS|Amz|Amzn|SG|SendGrid|PM|Postmark|Mailgun|MG|Resend|MSYS|MC)-.*)$/i

function headerFault(name: string, value: string): string | undefined {
  if (name.length > headerLimits.name) return `must have a name of at most ${headerLimits.name} characters`
  if (!allowedHeader.test(name)) return 'must be named X-…, In-Reply-To, References or List-…'
  if (reservedHeader.test(name)) return 'is set by the service or its carriers'
  if (value.trim() === '') return 'must not be empty'
  if (value.length > headerLimits.value) return `must have at most ${headerLimits.value} characters`
  return /^[\x20-\x7e]*$/.test(value) ? undefined : 'must be one line of printable ASCII characters'
}

function headerFaults(headers: Readonly<Record<string, string>>): { path: string[]; message: string }[] {
  const seen = new Set<string>()
  const faults: { path: string[]; message: string }[] = []
  let length = 0
  for (const [name, value] of Object.entries(headers)) {
    const message = seen.has(name.toLowerCase()) ? 'is given twice' : headerFault(name, value)
    if (message) faults.push({ path: ['headers', name], message })
    seen.add(name.toLowerCase())
    length += name.length + value.length
  }
  if (length > headerLimits.together)
    faults.push({ path: ['headers'], message: `must have at most ${headerLimits.together} characters together` })
  return faults
}

/** The fields of an email beside its content. */
export const mailFields = {
  reply_to: Mailboxes.optional().meta({
    description: `Where answers to an email go: an address, or a list of at most ${maxReplyTo}. Default: the sender.`,
  }),
  cc: Mailboxes.optional().meta({
    description: `Who receives a copy of an email: an address, or a list. With \`bcc\` and the recipient at most ${maxMailRecipients}.`,
  }),
  bcc: Mailboxes.optional().meta({ description: 'Who receives a copy that the other recipients do not see.' }),
  headers: z
    .record(z.string(), z.string())
    .optional()
    .meta({ description: 'Headers of an email: `X-…`, `In-Reply-To`, `References` and `List-…`, in ASCII' }),
  attachments: Attachments.optional().meta({
    description: `Files of an email, ${attachmentLimits.files} at most, with ${attachmentLimits.bytes} bytes together`,
  }),
} as const

type MailFields = { [Field in keyof typeof mailFields]?: z.output<(typeof mailFields)[Field]> }

const countOf = (given: unknown) => (given === undefined ? 0 : Array.isArray(given) ? given.length : 1)

/** The number of recipients that a request names; it need not be valid. */
export function recipientsOf(request: unknown): number {
  const { cc, bcc } = (typeof request === 'object' && request !== null ? request : {}) as MailFields
  return 1 + Math.min(countOf(cc) + countOf(bcc), maxMailRecipients)
}

/** What is wrong with the fields of an email, by path. */
export function mailFaults(request: MailFields): { path: string[]; message: string }[] {
  const faults: { path: string[]; message: string }[] = []
  if (countOf(request.reply_to) > maxReplyTo)
    faults.push({ path: ['reply_to'], message: `must have at most ${maxReplyTo} addresses` })
  if (recipientsOf(request) > maxMailRecipients) {
    const path = countOf(request.cc) > countOf(request.bcc) ? 'cc' : 'bcc'
    faults.push({ path: [path], message: `gives more than ${maxMailRecipients} recipients together` })
  }
  if (request.headers) faults.push(...headerFaults(request.headers))
  if (request.attachments) faults.push(...attachmentFaults(request.attachments))
  return faults
}
