import { createHmac, randomBytes } from 'node:crypto'
import { connectAccount } from './conformance/connect-account.ts'
import type { Answer } from './conformance/fixture.ts'
import { secondBefore } from './conformance/second-before.ts'
import { testCarrier } from './conformance/test-carrier.ts'

const refusal = (status: number, message: string): Answer => ({ status, body: { message } })
const own = (nth: number) => ({
  api_key: `key-number-${nth}`,
  domain: `mg${nth}.example.com`,
  webhook_signing_key: `signing-key-number-${nth}`,
})
const recipient = 'ada.lovelace@example.com'
const event = (fields: object) => ({
  id: 'ZXZlbnQtMQ',
  recipient,
  message: { headers: { 'message-id': '20130503182626.18666.16540@mg.example.com' } },
  ...fields,
})
const limitUntil = (end: string) =>
  `Domain mg0.example.com is not allowed to send: recipient limit exceeded, try again after ${end}`
const unverified = 'Domain shop.example is not allowed to send: The domain is unverified and requires DNS configuration'
const inADay = new Date(Date.now() + 86_400_000).toUTCString().replace('GMT', 'UTC')
const waits = (retryAfterMs: number | null) => ({ outcome: 'rejected_retryable', retryAfterMs }) as const
const failed = (fields: object) => event({ event: 'failed', severity: 'permanent', ...fields })

/** Signs an event as documented: the timestamp and a token. */
function signedBody(key: string, data: unknown): string {
  const [timestamp, token] = [String(Math.floor(Date.now() / 1000)), randomBytes(25).toString('hex')]
  const signature = createHmac('sha256', key)
    .update(timestamp + token)
    .digest('hex')
  return JSON.stringify({ signature: { timestamp, token, signature }, 'event-data': data })
}
const change = (body: Buffer, part: 'signature' | 'event-data', fields: object) => {
  const webhook = JSON.parse(String(body))
  return Buffer.from(JSON.stringify({ ...webhook, [part]: { ...webhook[part], ...fields } }))
}

testCarrier({
  kind: 'mailgun',
  connect: (place) => connectAccount(place, 'mailgun', own(place.nth), { from: 'shop@example.com' }),
  wrong: { api_key: 'key-of-nobody' },
  refusals: [
    [
      'an invalid recipient',
      refusal(400, `to parameter is not a valid address: ${recipient}`),
      { outcome: 'rejected_permanent', message: 'http_400 to parameter is not a valid address: [address]' },
    ],
    ['a wrong key', refusal(401, 'Invalid private key'), { outcome: 'rejected_retryable', providerDown: true }],
    ['an unpaid account', refusal(402, 'Request failed'), { outcome: 'rejected_retryable', providerDown: true }],
    ['an unknown domain', refusal(404, 'Domain not found'), { outcome: 'rejected_retryable', providerDown: true }],
    ['a domain that may not send', refusal(400, unverified), { outcome: 'rejected_retryable', providerDown: true }],
    ['too many requests', refusal(429, 'Too many requests'), { outcome: 'rejected_retryable', retryAfterMs: null }],
    ['a used up limit that ends long since', refusal(420, limitUntil('Mon, 25 Aug 2025 07:00:31 UTC')), waits(0)],
    ['a used up limit that ends in a day', refusal(420, limitUntil(inADay)), waits(3_600_000)],
    ['a used up limit, as too many requests', refusal(429, limitUntil(inADay)), waits(3_600_000)],
    ['a used up limit without its end', refusal(420, limitUntil('some time')), waits(null)],
  ],
  senderRefusals: [refusal(404, 'Domain not found: shop.example'), refusal(403, unverified), refusal(400, unverified)],
  undelivered: { status: 'undelivered', error_code: 'bounce:5.1.1', suppress: 'bounce', retryable: false },
  proof: {
    secret: 'webhook_signing_key',
    several: true,
    windowS: 8 * 3600 + 300,
    forgeries: {
      'another token': ({ body, ...rest }) => ({ ...rest, body: change(body, 'signature', { token: '0'.repeat(50) }) }),
      'another time': ({ body, ...rest }) => ({
        ...rest,
        body: change(body, 'signature', { timestamp: secondBefore(JSON.parse(String(body)).signature.timestamp) }),
      }),
      // The signature does not cover the event, so its token counts for one body alone.
      'another event under a token that was used': ({ body, ...rest }) => ({
        ...rest,
        body: change(body, 'event-data', { event: 'failed', severity: 'permanent' }),
      }),
    },
    signer: {
      credentials: { ...own(7), from: 'shop@example.com' },
      sign(text) {
        let data: unknown
        try {
          data = JSON.parse(text)
        } catch {
          return { body: Buffer.from(text), headers: {} }
        }
        return { body: Buffer.from(signedBody('signing-key-number-7', data)), headers: {} }
      },
      failure: (message) => failed({ 'delivery-status': { code: 550, message } }),
    },
    events: [
      [
        'a permanent failure names nobody',
        failed({
          reason: 'bounce',
          'delivery-status': { code: 550, message: `5.1.1 <${recipient}>: ada.lovelace unknown` },
        }),
        [{ status: 'undelivered', reason: 'bounce:550 5.1.1 <[address]>: [address] unknown', suppress: 'bounce' }],
      ],
      [
        'a temporary failure is a delay',
        failed({ severity: 'temporary', reason: 'greylisted' }),
        [{ status: 'delayed' }],
      ],
      [
        'a recipient that has complained',
        failed({ reason: 'suppress-complaint' }),
        [{ status: 'failed', suppress: 'complaint' }],
      ],
      [
        'a recipient that has unsubscribed',
        failed({ reason: 'suppress-unsubscribe' }),
        [{ status: 'failed', suppress: 'stop' }],
      ],
      [
        'a message that is too old may be sent again',
        failed({ reason: 'old' }),
        [{ status: 'undelivered', retryable: true }],
      ],
      [
        'a message that is too old is final, though Mailgun calls it temporary',
        failed({ severity: 'temporary', reason: 'old', 'delivery-status': { code: 602 } }),
        [{ status: 'undelivered', error_code: 'old:602', retryable: true }],
      ],
      [
        'a recipient who unsubscribes',
        event({ event: 'unsubscribed' }),
        [{ status: 'unsubscribed', suppress: 'stop', error_code: 'unsubscribed' }],
      ],
      ['an open is no receipt', event({ event: 'opened' }), []],
      ['an event that JavaScript knows', event({ event: 'constructor' }), []],
    ],
  },
})
