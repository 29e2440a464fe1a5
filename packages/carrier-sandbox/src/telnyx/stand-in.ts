import { generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { z } from 'zod'
import type { Callback } from '../callbacks/callback-sender.ts'
import { secretText, webhookUrl } from '../stand-ins/account.ts'
import { defineStandIn, jsonOf, parsed, type Step } from '../stand-ins/stand-in.ts'

const Account = z
  .strictObject({ api_key: secretText, webhook_url: webhookUrl })
  .transform((account) => ({ ...account, keys: generateKeyPairSync('ed25519') }))
type Account = z.output<typeof Account>

const phone = z.string().regex(/^\+[1-9]\d{6,14}$/)
const SendRequest = z.object({
  from: phone,
  to: phone,
  text: z.string().min(1),
  webhook_url: webhookUrl,
})

const error = (status: number, code: string, title: string, detail = title) => ({
  status,
  body: {
    errors: [{ code, title, detail, meta: { url: `https://developers.telnyx.com/docs/overview/errors/${code}` } }],
  },
})

const states: Partial<Record<Step, { event: string; status: string; errors?: object[] }>> = {
  sent: { event: 'message.sent', status: 'sent' },
  delivered: { event: 'message.finalized', status: 'delivered' },
  undelivered: {
    event: 'message.finalized',
    status: 'delivery_failed',
    errors: [{ code: '40008', title: 'Undeliverable', detail: 'The recipient carrier did not accept the message.' }],
  },
}

/** Telnyx's API (v2), and its webhooks signed with Ed25519. */
export const telnyx = defineStandIn<Account>({
  name: 'telnyx',
  channel: 'sms',
  account: Account,
  shown: ({ keys }) => ({
    // The last 32 bytes of its DER are the key itself.
    public_key: keys.publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('base64'),
  }),
  isOf: (req, { api_key }) => req.headers.authorization === `Bearer ${api_key}`,
  sendPath: '/v2/messages',
  read(req) {
    const data = parsed(SendRequest, jsonOf(req))
    if (typeof data === 'string') return data
    const { webhook_url: webhookUrl, ...message } = data
    return { ...message, webhookUrl, travelled: undefined }
  },
  newMessageId: () => randomUUID(),
  check: {
    path: '/v2/balance',
    answer: () => ({ status: 200, body: { data: { balance: '100.00', available_credit: '100.00', currency: 'USD' } } }),
  },
  accepted: (id, { to }) => ({
    status: 200,
    body: { data: { record_type: 'message', id, direction: 'outbound', to: [{ phone_number: to, status: 'queued' }] } },
  }),
  refused: {
    unauthorized: error(401, '10009', 'Authentication failed'),
    recipient: error(400, '40310', "Invalid 'to' address"),
    throttled: { ...error(429, '10011', 'Too many requests'), headers: { 'Retry-After': '1' } },
    broken: { status: 503 },
    invalid: (detail) => error(422, '10015', 'Bad Request', detail),
  },
  webhook(account, { message }, step) {
    const { event, status, errors = [] } = states[step]!
    return signed(account, event, {
      record_type: 'message',
      direction: 'outbound',
      id: message.provider_message_id,
      from: { phone_number: message.from },
      to: [{ phone_number: message.to, status }],
      text: message.text,
      errors,
    })
  },
  inbound: (account, { id, from, to, body: text }) =>
    signed(account, 'message.received', {
      record_type: 'message',
      direction: 'inbound',
      id,
      from: { phone_number: from },
      to: [{ phone_number: to, status: 'webhook_delivered' }],
      text,
      errors: [],
    }),
})

function signed({ keys }: Account, event_type: string, payload: object): Omit<Callback, 'url'> {
  const data = { event_type, id: randomUUID(), occurred_at: new Date().toISOString(), payload, record_type: 'event' }
  const [timestamp, body] = [String(Math.floor(Date.now() / 1000)), JSON.stringify({ data, meta: { attempt: 1 } })]
  return {
    headers: {
      'Content-Type': 'application/json',
      'telnyx-timestamp': timestamp,
      'telnyx-signature-ed25519': sign(null, Buffer.from(`${timestamp}|${body}`), keys.privateKey).toString('base64'),
    },
    body,
  }
}
