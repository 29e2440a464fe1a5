import { randomUUID } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { z } from 'zod'
import { secretText, webhookUrl } from '../stand-ins/account.ts'
import { attachmentOf, mailParts } from '../stand-ins/mail-parts.ts'
import { addressOf, defineStandIn, jsonOf, parsed, type Step } from '../stand-ins/stand-in.ts'
import { listed, resendDomains } from './domains.ts'

const Account = z.strictObject({ api_key: secretText, signing_secret: secretText, webhook_url: webhookUrl })

const word = z.string().regex(/^[A-Za-z0-9_-]{1,256}$/)
/** Names may be bare or encoded words, but not quoted. */
const Mailbox = z
  .string()
  .min(3)
  .regex(/^[^"]*$/, 'Invalid email field. The email address needs to follow the `email@example.com` format.')
const Mailboxes = z.array(Mailbox).optional()
const SendRequest = z
  .object({
    from: z
      .string()
      .min(3)
      .refine((from) => !from.includes('=?'), 'The email payload contain invalid characters'),
    to: z.array(Mailbox).length(1),
    cc: Mailboxes,
    bcc: Mailboxes,
    reply_to: Mailboxes,
    headers: z.record(z.string(), z.string()).optional(),
    attachments: z
      .array(
        z.object({
          filename: z.string().min(1),
          content: z.base64(),
          content_type: z.string().optional(),
          content_id: z.string().optional(),
        }),
      )
      .optional(),
    subject: z.string(),
    text: z.string().optional(),
    html: z.string().optional(),
    tags: z.array(z.object({ name: word, value: word })).default([]),
  })
  .refine(({ text, html }) => text || html, 'Missing `html` or `text` field.')

interface Travelled {
  to: string[]
  tags: Record<string, string>
}

const error = (statusCode: number, name: string, message: string) => ({
  status: statusCode,
  body: { statusCode, name, message },
})

const bounce = (type: string, subType: string) => ({ type: 'email.bounced', data: { bounce: { type, subType } } })
const events: Partial<Record<Step, { type: string; data?: object }>> = {
  sent: { type: 'email.sent' },
  delivered: { type: 'email.delivered' },
  delayed: { type: 'email.delivery_delayed' },
  bounced: bounce('Permanent', 'General'),
  softBounced: bounce('Transient', 'MailboxFull'),
  complained: { type: 'email.complained' },
  rejected: { type: 'email.failed', data: { failed: { reason: 'virus' } } },
}

/** Resend's API, and its webhooks as Svix signs them. */
export const resend = defineStandIn<z.output<typeof Account>>({
  name: 'resend',
  channel: 'email',
  takesFiles: true,
  account: Account,
  isOf: (req, { api_key }) => req.headers.authorization === `Bearer ${api_key}`,
  sendPath: '/emails',
  read(req) {
    const data = parsed(SendRequest, jsonOf(req))
    if (typeof data === 'string') return data
    const { from, to, subject, text = '', html, tags, cc, bcc, reply_to, headers, attachments } = data
    // Events have the recipient as it was given.
    const travelled: Travelled = { to, tags: Object.fromEntries(tags.map(({ name, value }) => [name, value])) }
    const files = attachments?.map(({ content_type = 'application/octet-stream', content, ...file }) =>
      attachmentOf({ content_type, ...file }, content),
    )
    const parts = mailParts({ cc, bcc, reply_to, headers, attachments: files })
    return { to: addressOf(to[0]!), from, subject, text, html, ...parts, travelled }
  },
  keyOf: ({ headers }) => headers['idempotency-key'] as string | undefined,
  newMessageId: () => randomUUID(),
  check: {
    path: '/domains',
    answer: (account, book) => ({
      status: 200,
      body: {
        data: [{ id: randomUUID(), name: 'example.com', status: 'verified' }, ...book.list(account).map(listed)],
        has_more: false,
      },
    }),
  },
  domains: resendDomains,
  accepted: (id) => ({ status: 200, body: { id } }),
  refused: {
    unauthorized: error(401, 'validation_error', 'API key is invalid'),
    recipient: error(422, 'validation_error', 'Invalid `to` field.'),
    throttled: { ...error(429, 'rate_limit_exceeded', 'Too many requests'), headers: { 'Retry-After': '1' } },
    broken: error(503, 'service_unavailable', 'Service unavailable'),
    invalid: (detail) => error(422, 'validation_error', detail),
    repeated: error(409, 'invalid_idempotent_request', 'This idempotency key was used with another payload'),
  },
  webhook({ signing_secret }, { message, travelled }, step) {
    const { type, data = {} } = events[step]!
    const { bounce: bounced } = data as { bounce?: object }
    const { to, tags } = travelled as Travelled
    const event = {
      type,
      created_at: new Date().toISOString(),
      data: {
        email_id: message.provider_message_id,
        from: message.from,
        to,
        subject: message.subject,
        tags,
        ...data,
        ...(bounced && { bounce: { ...bounced, message: `The address ${message.to} bounced` } }),
      },
    }
    const [id, now, body] = [`msg_${randomUUID()}`, new Date(), JSON.stringify(event)]
    return {
      headers: {
        'Content-Type': 'application/json',
        'svix-id': id,
        'svix-timestamp': String(Math.floor(now.getTime() / 1000)),
        'svix-signature': new Webhook(signing_secret).sign(id, now, body),
      },
      body,
    }
  },
})
