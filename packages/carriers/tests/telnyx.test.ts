import { generateKeyPairSync, sign } from 'node:crypto'
import { telnyxCodes } from '../src/telnyx/codes.ts'
import { connectAccount } from './conformance/connect-account.ts'
import type { Answer } from './conformance/fixture.ts'
import { testCarrier } from './conformance/test-carrier.ts'

const keys = generateKeyPairSync('ed25519')
const refusal = (status: number, code: string, detail = code): Answer => ({
  status,
  body: { errors: [{ code, title: code, detail }] },
})
const from = '+15005550006'
const event = (event_type: string, status: string, fields: object = {}) => ({
  data: {
    event_type,
    occurred_at: '2019-12-09T21:32:14.148+00:00',
    payload: {
      id: '40385f64-5717-4562-b3fc-2c963f66afa6',
      from: { phone_number: from },
      to: [{ phone_number: '+15551234567', status }],
      ...fields,
    },
  },
})
const failure = (code: string, detail: string) =>
  event('message.finalized', 'delivery_failed', { errors: [{ code, title: 'Failed', detail }] })
const permanent = { outcome: 'rejected_permanent' } as const
const down = { outcome: 'rejected_retryable', providerDown: true } as const

testCarrier({
  kind: 'telnyx',
  connect: (place) => connectAccount(place, 'telnyx', { api_key: `KEY-number-${place.nth}` }, { from }),
  wrong: { api_key: 'KEY-of-nobody' },
  refusals: [
    [
      'an invalid number',
      refusal(400, '40310', "Invalid 'to' address +15551234567"),
      { ...permanent, message: "40310 Invalid 'to' address" },
    ],
    [
      'a code that is not listed keeps its words, without the number',
      refusal(422, '40999', 'The number +15551234567 is odd'),
      { ...permanent, message: '40999 The number [number] is odd' },
    ],
    ['a recipient that has sent STOP', refusal(400, '40300'), { ...permanent, suppress: 'stop' }],
    ['a wrong key', refusal(401, '10009'), down],
    ['no credit', refusal(403, '20100'), down],
    ['a number of somebody else', refusal(400, '40305'), down],
    ['a number whose purchase is not complete', refusal(409, '40320'), down],
    ['too many requests', refusal(429, '10011'), { outcome: 'rejected_retryable' }],
    ['a full queue', refusal(429, '40318'), { outcome: 'rejected_retryable' }],
    ['a failure while it had the message', refusal(500, '10007'), { outcome: 'unknown', carrierFault: true }],
  ],
  codes: {
    table: telnyxCodes,
    answer: (code) => refusal(400, code),
    documented: {
      permanent: `10001 10002 10004 10005 10015 10016 40001 40003 40007 40009 40010 40012 40015 40301 40302 40310 40316
        40317 40322`,
      unknown: '10007',
      accountDown: '10009 10010 20100 40013 40100 40305 40306 40311 40312 40320 40329 40331 40333',
      later: '10011 40002 40004 40005 40006 40008 40011 40014 40016 40318',
      stopped: '40300',
    },
  },
  undelivered: { status: 'undelivered', error_code: '40008', retryable: true },
  proof: {
    secret: 'public_key',
    several: true,
    windowS: 300,
    signer: {
      credentials: {
        api_key: 'KEY-of-a-signer',
        from,
        public_key: Buffer.from(keys.publicKey.export({ format: 'jwk' }).x!, 'base64url').toString('base64'),
      },
      sign(body) {
        const timestamp = String(Math.floor(Date.now() / 1000))
        const signature = sign(null, Buffer.from(`${timestamp}|${body}`), keys.privateKey).toString('base64')
        return {
          body: Buffer.from(body),
          headers: { 'telnyx-timestamp': timestamp, 'telnyx-signature-ed25519': signature },
        }
      },
      failure: (text) => failure('49999', text),
    },
    events: [
      [
        'a landline for good',
        failure('40001', 'Not routable'),
        [{ retryable: false, reason: '40001 The number is a landline or not routable' }],
      ],
      ['a recipient that has sent STOP', failure('40300', 'Blocked'), [{ suppress: 'stop', retryable: false }]],
      [
        'a code that is not listed',
        failure('49999', 'To +15551234567'),
        [{ reason: '49999 To [number]', retryable: true }],
      ],
      ['an expired message', event('message.finalized', 'expired'), [{ status: 'undelivered', retryable: true }]],
      ['a receipt that nobody confirms', event('message.finalized', 'delivery_unconfirmed'), [{ status: 'sent' }]],
      ['a state in between is no receipt', event('message.sent', 'queued'), []],
      [
        'an inbound message',
        event('message.received', 'webhook_delivered', { from: { phone_number: '+15559990000' }, text: 'Stop' }),
        [
          {
            type: 'message',
            occurredAt: new Date('2019-12-09T21:32:14.148Z'),
            content: { from: '+15559990000', to: '+15551234567', body: 'Stop' },
          },
        ],
      ],
    ],
  },
})
