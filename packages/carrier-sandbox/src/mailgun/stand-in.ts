import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { z } from 'zod'
import { secretText, webhookUrl } from '../stand-ins/account.ts'
import { attachmentOf, mailParts } from '../stand-ins/mail-parts.ts'
import { readForm } from '../stand-ins/read-form.ts'
import { addressOf, defineStandIn, mailboxesIn, parsed, type Step } from '../stand-ins/stand-in.ts'
import { mailgunDomains } from './domains.ts'

const Account = z.strictObject({
  api_key: secretText,
  domain: z.string().min(3),
  webhook_signing_key: secretText,
  webhook_url: webhookUrl,
})

const SendRequest = z
  .looseObject({
    from: z.string().min(3),
    to: z.string().min(3),
    cc: z.string().optional(),
    bcc: z.string().optional(),
    subject: z.string().min(1),
    text: z.string().optional(),
    html: z.string().optional(),
  })
  .refine(({ text, html }) => text || html, "Need at least one of 'text' or 'html' parameters specified")

const error = (status: number, message: string) => ({ status, body: { message } })

const failed = (severity: string, reason: string, code: number) => ({
  event: 'failed',
  severity,
  reason,
  'delivery-status': { code, 'enhanced-code': `${Math.floor(code / 100)}.1.1`, 'attempt-no': 1 },
})
const events: Partial<Record<Step, object>> = {
  sent: { event: 'accepted' },
  delivered: { event: 'delivered', 'delivery-status': { code: 250, message: 'OK' } },
  delayed: failed('temporary', 'generic', 450),
  bounced: failed('permanent', 'bounce', 550),
  softBounced: failed('permanent', 'old', 452),
  complained: { event: 'complained' },
  rejected: { event: 'rejected', reject: { reason: 'Sandbox: virus', description: 'The message has a virus' } },
}

/** Mailgun's API of a domain, and its signed webhooks. */
export const mailgun = defineStandIn<z.output<typeof Account>>({
  name: 'mailgun',
  channel: 'email',
  takesFiles: true,
  account: Account,
  isOf: (req, { api_key }) => req.headers.authorization === `Basic ${Buffer.from(`api:${api_key}`).toString('base64')}`,
  sendPath: '/v3/:domain/messages',
  async read(req) {
    const { fields, files } = await readForm(req)
    const data = parsed(SendRequest, fields)
    if (typeof data === 'string') return data
    const { from, to, cc, bcc, subject, text = '', html, ...others } = data
    const named = (prefix: string) =>
      Object.fromEntries(
        Object.entries(others).flatMap(([name, value]) =>
          name.startsWith(prefix) ? [[name.slice(prefix.length), String(value)]] : [],
        ),
      )
    const { 'Reply-To': reply_to, ...headers } = named('h:')
    const parts = mailParts({
      cc: mailboxesIn(cc),
      bcc: mailboxesIn(bcc),
      reply_to: mailboxesIn(reply_to),
      headers,
      attachments: files.map(({ field, bytes, ...file }) =>
        attachmentOf({ ...file, content_id: field === 'inline' ? file.filename : undefined }, bytes),
      ),
    })
    return { to: addressOf(to), from, subject, text, html, ...parts, travelled: named('v:') }
  },
  newMessageId: () => `${randomUUID()}@sandbox.mailgun.org`,
  check: {
    path: '/v4/domains/:domain',
    answer: ({ domain: name }) => ({ status: 200, body: { domain: { name, state: 'active', type: 'custom' } } }),
  },
  domains: mailgunDomains,
  accepted: (id) => ({ status: 200, body: { id: `<${id}>`, message: 'Queued. Thank you.' } }),
  refused: {
    unauthorized: error(401, 'Invalid private key'),
    recipient: error(400, "'to' parameter is not a valid address. please check documentation"),
    throttled: { ...error(429, 'Too many requests'), headers: { 'Retry-After': '1' } },
    broken: error(503, 'Service unavailable'),
    invalid: (detail) => error(400, detail),
  },
  webhook({ webhook_signing_key }, { message, travelled }, step) {
    const [timestamp, token] = [String(Math.floor(Date.now() / 1000)), randomBytes(25).toString('hex')]
    const signature = createHmac('sha256', webhook_signing_key)
      .update(timestamp + token)
      .digest('hex')
    const event = events[step] as { 'delivery-status'?: object } | undefined
    const status = event?.['delivery-status']
    const body = {
      signature: { timestamp, token, signature },
      'event-data': {
        id: randomBytes(16).toString('base64url'),
        timestamp: Date.now() / 1000,
        recipient: message.to,
        message: { headers: { 'message-id': message.provider_message_id, to: message.to } },
        'user-variables': travelled,
        ...event,
        ...(status && { 'delivery-status': { message: `5.1.1 <${message.to}>: user unknown`, ...status } }),
      },
    }
    return { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }
  },
})
