import { z } from 'zod'
import { randomHex } from '../random-hex.ts'
import { secretText, webhookUrl } from '../stand-ins/account.ts'
import { defineStandIn, jsonOf, parsed } from '../stand-ins/stand-in.ts'

const Account = z.strictObject({ api_key: secretText, callback_token: secretText, webhook_url: webhookUrl })
type Account = z.output<typeof Account>

const SendRequest = z.object({ to: z.string(), text: z.string(), travelled: z.record(z.string(), z.string()) })

export const texter = defineStandIn<Account>({
  name: 'texter',
  channel: 'sms',
  account: Account,
  isOf: (req, { api_key }) => req.headers.authorization === `Bearer ${api_key}`,
  sendPath: '/texts',
  read(req) {
    const data = parsed(SendRequest, jsonOf(req))
    return typeof data === 'string' ? data : { ...data, from: 'Texter' }
  },
  newMessageId: () => randomHex(),
  check: { path: '/account', answer: () => ({ status: 200, body: {} }) },
  accepted: (id) => ({ status: 202, body: { id } }),
  refused: {
    unauthorized: { status: 401 },
    recipient: { status: 400 },
    throttled: { status: 429 },
    broken: { status: 503 },
    invalid: () => ({ status: 400 }),
  },
  webhook: ({ callback_token }, { message, travelled }, status) => ({
    headers: { 'Content-Type': 'application/json', 'x-texter-token': callback_token },
    body: JSON.stringify({ id: message.provider_message_id, status, travelled }),
  }),
})
