import { createHash, createHmac, generateKeyPairSync } from 'node:crypto'
import { vonageCodes } from '../src/vonage/codes.ts'
import { connectAccount } from './conformance/connect-account.ts'
import type { Answer, Credentials } from './conformance/fixture.ts'
import { testCarrier } from './conformance/test-carrier.ts'

const keys = [0, 1, 2].map(() =>
  generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  }),
)
const account = (nth: number): Credentials => ({
  api_key: `abcd000${nth}`,
  api_secret: `secret-of-number-${nth}`,
  application_id: `aaaaaaaa-bbbb-4ccc-8ddd-00000000000${nth}`,
  signature_secret: `signature-secret-of-number-${nth}`,
})
const provider = (nth: number): Credentials => ({
  ...account(nth),
  from: '+15005550006',
  // As a form of one line pastes it.
  private_key: keys[nth]!.privateKey.replaceAll('\n', ''),
})
const refusal = (status: number, type: string, detail = type): Answer => ({
  status,
  body: { type: `https://developer.vonage.com/api-errors/${type}`, title: 'Refused', detail, instance: 'i' },
})
const status = (fields: object) => ({ message_uuid: 'aaaaaaaa-bbbb-4ccc-8ddd-0123456789ab', channel: 'sms', ...fields })
const rejected = (code: number, detail: string) =>
  status({
    status: 'rejected',
    error: { type: `https://developer.nexmo.com/api-errors/messages-olympus#${code}`, title: code, detail },
  })
const permanent = { outcome: 'rejected_permanent' } as const
const down = { outcome: 'rejected_retryable', providerDown: true } as const

/** A token as documented: HS256, with the hash of the body. */
function tokenOf(
  body: string,
  { api_key, signature_secret }: Credentials,
  header: object = { alg: 'HS256', typ: 'JWT' },
) {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const payload_hash = createHash('sha256').update(body).digest('hex')
  const text = `${encode(header)}.${encode({ iat: Math.floor(Date.now() / 1000), api_key, payload_hash })}`
  return `Bearer ${text}.${createHmac('sha256', signature_secret!).update(text).digest('base64url')}`
}
const withToken = (authorization: string) => ({ authorization, 'content-type': 'application/json' })

testCarrier({
  kind: 'vonage',
  async connect(place) {
    const { nth } = place
    await connectAccount(place, 'vonage', { ...account(nth), public_key: keys[nth]!.publicKey })
    return provider(nth)
  },
  wrong: { api_secret: 'secret-of-nobody', private_key: keys[2]!.privateKey },
  refusals: [
    ['an invalid number', refusal(422, 'messages#1170', 'Invalid MSISDN 15551234567'), { ...permanent, code: '1170' }],
    [
      'a code that is not listed keeps its words, without the number',
      refusal(422, 'messages#1999', 'The number 15551234567 is odd'),
      { ...permanent, message: '1999 The number [number] is odd' },
    ],
    ['a barred number', refusal(422, 'messages#1050'), permanent],
    ['a wrong token', refusal(401, '#unauthorized'), down],
    ['no credit', refusal(402, 'messages#1070'), down],
    ['an illegal sender', refusal(422, 'messages#1120'), permanent],
    ['too many messages', refusal(429, 'messages#1000'), { outcome: 'rejected_retryable' }],
    [
      'too many requests, under the code of a missing parameter',
      refusal(429, 'messages#1010'),
      { outcome: 'rejected_retryable' },
    ],
    ['a failure while it had the message', refusal(500, 'messages#1030'), { outcome: 'unknown', carrierFault: true }],
  ],
  codes: {
    table: vonageCodes,
    answer: (code) => refusal(422, `messages#${code}`),
    documented: {
      later: '1000 1180 1200 1220 1230 1290 1330 1360 1460',
      permanent: `1010 1020 1021 1022 1040 1050 1090 1120 1130 1150 1160 1170 1190 1210 1240 1250 1260 1270 1280 1300 1470`,
      unknown: '1030',
      accountDown: '1060 1070 1080 1140 unauthorized forbidden low-balance unprovisioned account-suspended',
      carrierFault: '1100',
    },
  },
  undelivered: { status: 'undelivered', error_code: '1180', retryable: true },
  proof: {
    secret: 'signature_secret',
    several: true,
    windowS: 24 * 3600 + 300,
    forgeries: {
      'another body': ({ body, ...rest }) => ({ ...rest, body: Buffer.concat([body, Buffer.from(' ')]) }),
      'a token without a signature': ({ body, ...rest }) => ({
        ...rest,
        body,
        headers: withToken(tokenOf(String(body), account(0)).replace(/[^.]+$/, '')),
      }),
      'a token of another algorithm': ({ body, ...rest }) => ({
        ...rest,
        body,
        headers: withToken(tokenOf(String(body), account(0), { alg: 'none' })),
      }),
      'a token of another account with the same secret': ({ body, ...rest }) => ({
        ...rest,
        body,
        headers: withToken(tokenOf(String(body), { ...account(0), api_key: 'zzzz0000' })),
      }),
    },
    signer: {
      credentials: provider(2),
      sign: (body) => ({ body: Buffer.from(body), headers: withToken(tokenOf(body, account(2))) }),
      failure: (text) => rejected(1999, text),
    },
    events: [
      [
        'a rejection for good',
        rejected(1210, 'Anti-spam'),
        [{ status: 'undelivered', retryable: false, reason: '1210 Blocked as spam' }],
      ],
      [
        'a code that is not listed',
        rejected(1999, 'To 15551234567'),
        [{ reason: '1999 To [number]', retryable: true }],
      ],
      [
        'a message that could not be handed over',
        status({ status: 'undeliverable' }),
        [{ status: 'undelivered', retryable: true }],
      ],
      ['a status to come is no receipt', status({ status: 'teleported' }), []],
      [
        'an inbound message, whose numbers come without a plus sign',
        status({
          message_type: 'text',
          from: '15559990000',
          to: '15005550006',
          text: 'Stop',
          timestamp: '2026-11-21T09:30:00Z',
        }),
        [
          {
            type: 'message',
            occurredAt: new Date('2026-11-21T09:30:00Z'),
            content: { from: '+15559990000', to: '+15005550006', body: 'Stop' },
          },
        ],
      ],
      [
        'an inbound message in the format v0.1',
        status({
          from: { type: 'sms', number: '15559990000' },
          to: { type: 'sms', number: '15005550006' },
          message: { content: { type: 'text', text: 'Stop' } },
          direction: 'inbound',
          timestamp: '2026-11-21T09:30:00.000Z',
        }),
        [
          {
            type: 'message',
            occurredAt: new Date('2026-11-21T09:30:00Z'),
            content: { from: '+15559990000', to: '+15005550006', body: 'Stop' },
          },
        ],
      ],
      [
        'an inbound picture in the format v0.1',
        status({ from: { type: 'sms', number: '15559990000' }, message: { content: { type: 'image' } } }),
        [],
      ],
      [
        'a rejection in the format v0.1',
        status({
          status: 'rejected',
          to: { type: 'sms', number: '15551234567' },
          error: { code: 1210, reason: 'Anti-spam' },
        }),
        [{ status: 'undelivered', retryable: false, reason: '1210 Blocked as spam' }],
      ],
      [
        'an inbound picture says nothing',
        status({ message_type: 'image', from: '15559990000', to: '15005550006' }),
        [],
      ],
    ],
  },
})
