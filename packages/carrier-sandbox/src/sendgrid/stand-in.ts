import { generateKeyPairSync, randomBytes, randomUUID, sign } from 'node:crypto'
import { z } from 'zod'
import { secretText, webhookUrl } from '../stand-ins/account.ts'
import { attachmentOf, mailParts } from '../stand-ins/mail-parts.ts'
import { addressOf, defineStandIn, jsonOf, parsed, type Step } from '../stand-ins/stand-in.ts'
import { sendgridDomains } from './domains.ts'

const Account = z
  .strictObject({ api_key: secretText, webhook_url: webhookUrl })
  .transform((account) => ({ ...account, keys: generateKeyPairSync('ec', { namedCurve: 'P-256' }) }))

const Address = z.object({ email: z.email(), name: z.string().optional() })
const Addresses = z.array(Address).optional()
/** SendGrid refuses an address that occurs twice in a personalization. */
const Personalization = z
  .object({
    to: z.array(Address).length(1),
    cc: Addresses,
    bcc: Addresses,
    custom_args: z.record(z.string(), z.string()).default({}),
  })
  .refine(({ to, cc = [], bcc = [] }) => {
    const all = [...to, ...cc, ...bcc].map(({ email }) => email.toLowerCase())
    return new Set(all).size === all.length
  }, 'Each email address in the personalization block should be unique between to, cc, and bcc.')
const Attachment = z.object({
  content: z.base64(),
  filename: z.string().min(1),
  type: z
    .string()
    .regex(/^[^;\r\n]+$/, "The attachment type cannot contain ';', or CRLF characters.")
    .default('application/octet-stream'),
  disposition: z.enum(['attachment', 'inline']).default('attachment'),
  content_id: z.string().optional(),
})
const SendRequest = z.object({
  personalizations: z.array(Personalization).length(1),
  from: Address,
  reply_to_list: Addresses,
  headers: z.record(z.string(), z.string()).optional(),
  attachments: z.array(Attachment).optional(),
  subject: z.string().min(1),
  content: z.array(z.object({ type: z.enum(['text/plain', 'text/html']), value: z.string().min(1) })).min(1),
})

const mailboxOf = ({ email, name }: z.output<typeof Address>) => (name ? `${name} <${email}>` : email)

/** SendGrid reads a recipient as one text: unless the name is quoted, it takes what is before such a character for the address. */
function recipientOf({ email, name = '' }: z.output<typeof Address>): string {
  const [before, ...others] = /^".*"$/.test(name) ? [name] : name.split(/[(),:;<>@[\]]/)
  return others.length > 0 ? before!.trim() : mailboxOf({ email, name })
}

/** Every answer says when the limit of requests is reset. */
const headers = { 'X-RateLimit-Reset': '1' }
const errors = (status: number, message: string) => ({
  status,
  headers,
  body: { errors: [{ message, field: null, help: null }] },
})

const events: Partial<Record<Step, object>> = {
  sent: { event: 'processed' },
  delivered: { event: 'delivered', response: '250 OK' },
  delayed: { event: 'deferred', response: '450 try again later', attempt: '1' },
  bounced: { event: 'bounce', type: 'bounce', status: '5.1.1', bounce_classification: 'Invalid Address' },
  softBounced: { event: 'bounce', type: 'blocked', status: '4.2.2', bounce_classification: 'Mailbox Unavailable' },
  complained: { event: 'spamreport' },
  rejected: { event: 'dropped', reason: 'Spam Content (if Spam Checker app enabled)' },
}

/** SendGrid's Web API (v3) and its signed Event Webhook. */
export const sendgrid = defineStandIn<z.output<typeof Account>>({
  name: 'sendgrid',
  channel: 'email',
  takesFiles: true,
  account: Account,
  shown: ({ keys }) => ({
    verification_key: keys.publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
  }),
  isOf: (req, { api_key }) => req.headers.authorization === `Bearer ${api_key}`,
  sendPath: '/v3/mail/send',
  read(req) {
    const data = parsed(SendRequest, jsonOf(req))
    if (typeof data === 'string') return data
    const [{ to, cc, bcc, custom_args }] = data.personalizations as [(typeof data.personalizations)[0]]
    const partOf = (wanted: string) => data.content.find(({ type }) => type === wanted)?.value
    return {
      to: addressOf(recipientOf(to[0]!)),
      from: mailboxOf(data.from),
      subject: data.subject,
      text: partOf('text/plain') ?? '',
      html: partOf('text/html'),
      ...mailParts({
        cc: cc?.map(recipientOf),
        bcc: bcc?.map(recipientOf),
        reply_to: data.reply_to_list?.map(mailboxOf),
        headers: data.headers,
        attachments: data.attachments?.map(({ type: content_type, content, ...file }) =>
          attachmentOf({ content_type, ...file }, content),
        ),
      }),
      travelled: custom_args,
    }
  },
  newMessageId: () => randomBytes(16).toString('base64url'),
  check: { path: '/v3/scopes', answer: () => ({ status: 200, body: { scopes: ['mail.send', 'alerts.read'] } }) },
  domains: sendgridDomains,
  accepted: (id) => ({ status: 202, headers: { ...headers, 'X-Message-Id': id } }),
  refused: {
    unauthorized: errors(401, 'The provided authorization grant is invalid, expired, or revoked'),
    recipient: errors(400, 'Does not contain a valid address.'),
    throttled: errors(429, 'too many requests'),
    broken: errors(503, 'Service Unavailable'),
    invalid: (detail) => errors(400, detail),
  },
  webhook({ keys }, { message, travelled }, step) {
    const event = {
      email: message.to,
      timestamp: Math.floor(Date.now() / 1000),
      'smtp-id': `<${message.id}@ismtpd>`,
      sg_event_id: randomUUID(),
      sg_message_id: `${message.provider_message_id}.recvd-5f7b-1-0.0`,
      ...(travelled as object),
      ...(step.endsWith('ounced') && { reason: `550 5.1.1 <${message.to}>: user unknown` }),
      ...(message.to.includes('@') ? events[step] : { event: 'dropped', reason: 'Invalid' }),
    }
    const body = JSON.stringify([event])
    const timestamp = String(event.timestamp)
    const signature = sign('sha256', Buffer.from(timestamp + body), keys.privateKey).toString('base64')
    return {
      headers: {
        'Content-Type': 'application/json',
        'X-Twilio-Email-Event-Webhook-Signature': signature,
        'X-Twilio-Email-Event-Webhook-Timestamp': timestamp,
      },
      body,
    }
  },
})
