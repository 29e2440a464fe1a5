import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { parse } from 'node:querystring'
import { z } from 'zod'
import { secretText, webhookUrl } from '../stand-ins/account.ts'
import { addressOf, defineStandIn, parsed, type Step } from '../stand-ins/stand-in.ts'
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
  account: Account,
  isOf: (req, { api_key }) => req.headers.authorization === `Basic ${Buffer.from(`api:${api_key}`).toString('base64')}`,
  sendPath: '/v3/:domain/messages',
  read(req) {
    const data = parsed(SendRequest, parse(Buffer.isBuffer(req.body) ? req.body.toString() : ''))
    if (typeof data === 'string') return data
    const { from, to, subject, text = '', html, ...others } = data
    const variables = Object.entries(others).flatMap(([name, value]) =>
      /^v:/.test(name) ? [[name.slice(2), value]] : [],
    )
    return { to: addressOf(to), from, subject, text, html, travelled: Object.fromEntries(variables) }
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
