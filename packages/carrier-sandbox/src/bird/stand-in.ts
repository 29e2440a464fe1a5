import { createHash, createHmac, randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { Callback } from '../callbacks/callback-sender.ts'
import { secretText, webhookUrl } from '../stand-ins/account.ts'
import { defineStandIn, jsonOf, parsed, type Step } from '../stand-ins/stand-in.ts'

const Account = z.strictObject({
  access_key: secretText,
  workspace_id: z.uuid(),
  channel_id: z.uuid(),
  signing_key: secretText,
  webhook_url: webhookUrl,
})
type Account = z.output<typeof Account>

const Contact = z.object({
  identifierKey: z.literal('phonenumber'),
  identifierValue: z.string().regex(/^\+[1-9]\d{6,14}$/),
})
const SendRequest = z.object({
  receiver: z.object({ contacts: z.array(Contact).length(1) }),
  body: z.object({ type: z.literal('text'), text: z.object({ text: z.string().min(1) }) }),
  reference: z.string().optional(),
})

const error = (status: number, code: string, message: string) => ({ status, body: { code, message } })

const sender = '+15005550006'
const states: Partial<Record<Step, object>> = {
  sent: { status: 'sent' },
  delivered: { status: 'delivered' },
  undelivered: {
    status: 'delivery_failed',
    reason: 'details: unknown subscriber; reason: unknown_subscriber; code: 1',
    failure: { code: 15005, source: { name: 'sms-messagebird', code: '1' } },
  },
}

/** Bird's Channels API for SMS, and its signed webhook subscriptions. */
export const bird = defineStandIn<Account>({
  name: 'bird',
  channel: 'sms',
  account: Account,
  isOf: (req, { access_key, channel_id }) =>
    req.headers.authorization === `AccessKey ${access_key}` && req.path.split('/').includes(channel_id),
  sendPath: '/workspaces/:workspace/channels/:channel/messages',
  read(req) {
    const data = parsed(SendRequest, jsonOf(req))
    if (typeof data === 'string') return data
    const [contact] = data.receiver.contacts
    return { to: contact!.identifierValue, from: sender, text: data.body.text.text, travelled: data.reference }
  },
  newMessageId: () => randomUUID(),
  check: {
    path: '/workspaces/:workspace/channels/:channel',
    answer: ({ channel_id: id }) => ({ status: 200, body: { id, name: 'Sandbox', status: 'active' } }),
  },
  accepted: (id) => ({ status: 202, body: { id, status: 'accepted', direction: 'outgoing' } }),
  refused: {
    unauthorized: error(401, 'Unauthorized', 'Unauthorized'),
    recipient: error(422, 'InvalidPayload', 'The receiver is invalid'),
    throttled: { ...error(429, 'TooManyRequests', 'Too many requests'), headers: { 'Retry-After': '1' } },
    broken: error(503, 'ServiceUnavailable', 'Service unavailable'),
    invalid: (detail) => error(422, 'InvalidPayload', detail),
  },
  webhook: (account, { message, travelled }, step) =>
    signed(account, 'sms.outbound', {
      id: message.provider_message_id,
      channelId: account.channel_id,
      receiver: { contacts: [{ identifierKey: 'phonenumber', identifierValue: message.to }] },
      body: { type: 'text', text: { text: message.text } },
      reference: travelled,
      direction: 'outgoing',
      ...states[step],
    }),
  inbound: (account, { id, from, to, body: text }) =>
    signed(account, 'sms.inbound', {
      id,
      channelId: account.channel_id,
      sender: { contact: { identifierKey: 'phonenumber', identifierValue: from } },
      receiver: { connector: { identifierValue: to } },
      body: { type: 'text', text: { text } },
      status: 'delivered',
      direction: 'incoming',
      createdAt: new Date().toISOString(),
    }),
})

function signed({ signing_key, webhook_url }: Account, event: string, payload: object): Omit<Callback, 'url'> {
  const [timestamp, body] = [
    String(Math.floor(Date.now() / 1000)),
    JSON.stringify({ service: 'channels', event, payload }),
  ]
  const text = Buffer.concat([
    Buffer.from(`${timestamp}\n${webhook_url}\n`),
    createHash('sha256').update(body).digest(),
  ])
  return {
    headers: {
      'Content-Type': 'application/json',
      'messagebird-request-timestamp': timestamp,
      'messagebird-signature': createHmac('sha256', signing_key).update(text).digest('base64'),
    },
    body,
  }
}
