import { createHash, createHmac, createPublicKey, randomUUID, verify } from 'node:crypto'
import { z } from 'zod'
import type { Callback } from '../callbacks/callback-sender.ts'
import { secretText, webhookUrl } from '../stand-ins/account.ts'
import { defineStandIn, jsonOf, parsed, type Step } from '../stand-ins/stand-in.ts'

const Account = z.strictObject({
  api_key: secretText,
  api_secret: secretText,
  application_id: z.uuid(),
  /** PEM of the key that verifies the tokens of the application. */
  public_key: secretText,
  signature_secret: secretText,
  webhook_url: webhookUrl,
})
type Account = z.output<typeof Account>

const digits = z.string().regex(/^[1-9]\d{6,14}$/)
const SendRequest = z.object({
  channel: z.literal('sms'),
  message_type: z.literal('text'),
  to: digits,
  from: z.string().min(1),
  text: z.string().min(1).max(1000),
  client_ref: z.string().max(100).optional(),
})

const problem = (status: number, type: string, detail: string) => ({
  status,
  body: { type: `https://developer.vonage.com/api-errors/${type}`, title: detail, detail, instance: randomUUID() },
})
const messages = (status: number, code: number, detail: string) => problem(status, `messages#${code}`, detail)

const states: Partial<Record<Step, object>> = {
  sent: { status: 'submitted' },
  delivered: { status: 'delivered' },
  undelivered: {
    status: 'rejected',
    error: { ...messages(422, 1180, 'Absent Subscriber - Temporary').body, title: 1180 },
  },
}

/** Vonage's Messages API (v1), and its webhooks with a signed token. */
export const vonage = defineStandIn<Account>({
  name: 'vonage',
  channel: 'sms',
  account: Account,
  isOf({ headers: { authorization = '' }, path }, account) {
    const { api_key, api_secret, application_id } = account
    const basic = Buffer.from(`${api_key}:${api_secret}`).toString('base64')
    return authorization === `Basic ${basic}` ? path.endsWith(application_id) : isTokenOf(account, authorization)
  },
  sendPath: '/v1/messages',
  read(req) {
    const data = parsed(SendRequest, jsonOf(req))
    if (typeof data === 'string') return data
    return { to: `+${data.to}`, from: data.from, text: data.text, travelled: data.client_ref }
  },
  newMessageId: () => randomUUID(),
  check: {
    path: '/v2/applications/:id',
    answer: ({ application_id: id }) => ({
      status: 200,
      body: { id, name: 'Sandbox', capabilities: { messages: {} } },
    }),
  },
  accepted: (message_uuid) => ({ status: 202, body: { message_uuid } }),
  refused: {
    unauthorized: problem(401, '#unauthorized', 'You did not provide correct credentials.'),
    recipient: messages(422, 1170, 'Invalid or Missing MSISDN'),
    throttled: { ...messages(429, 1000, 'Throttled'), headers: { 'Retry-After': '1' } },
    broken: problem(503, '#unavailable', 'Service unavailable'),
    invalid: (detail) => messages(422, 1020, detail),
  },
  webhook: (account, { message, travelled }, step) =>
    signed(account, {
      message_uuid: message.provider_message_id,
      to: message.to.slice(1),
      from: message.from,
      timestamp: new Date().toISOString(),
      channel: 'sms',
      client_ref: travelled,
      ...states[step],
    }),
  inbound: (account, { id, from, to, body: text }) =>
    signed(account, {
      channel: 'sms',
      message_uuid: id,
      to: to.slice(1),
      from: from.slice(1),
      timestamp: new Date().toISOString(),
      message_type: 'text',
      text,
      sms: { num_messages: '1', keyword: text.split(' ')[0]?.toUpperCase() },
    }),
})

function isTokenOf({ application_id, public_key }: Account, authorization: string): boolean {
  const [head = '', claims = '', signature = ''] = authorization.replace(/^Bearer /, '').split('.')
  const key = createPublicKey(public_key)
  if (!verify('sha256', Buffer.from(`${head}.${claims}`), key, Buffer.from(signature, 'base64url'))) return false
  const { application_id: named, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString())
  return named === application_id && exp > Date.now() / 1000
}

function signed({ api_key, application_id, signature_secret }: Account, content: object): Omit<Callback, 'url'> {
  const body = JSON.stringify(content)
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const claims = {
    iat: Math.floor(Date.now() / 1000),
    jti: randomUUID(),
    iss: 'Vonage',
    api_key,
    application_id,
    payload_hash: createHash('sha256').update(body).digest('hex'),
  }
  const text = `${encode({ typ: 'JWT', alg: 'HS256' })}.${encode(claims)}`
  const token = `${text}.${createHmac('sha256', signature_secret).update(text).digest('base64url')}`
  return { headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` }, body }
}
