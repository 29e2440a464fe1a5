import { createHash, createHmac } from 'node:crypto'
import { birdCodes } from '../src/bird/codes.ts'
import { connectAccount } from './conformance/connect-account.ts'
import type { Answer } from './conformance/fixture.ts'
import { secondBefore } from './conformance/second-before.ts'
import { testCarrier } from './conformance/test-carrier.ts'

const own = (nth: number) => ({
  access_key: `access-key-number-${nth}`,
  workspace_id: '18c67992-c7ba-470d-9189-da495ab636a6',
  channel_id: `bca1c70c-bf08-4832-b821-00000000000${nth}`,
  signing_key: `signing-key-number-${nth}`,
})
const refusal = (status: number, code: string, message = code): Answer => ({ status, body: { code, message } })
const event = (name: string, payload: object) => ({
  service: 'channels',
  event: name,
  payload: { id: '3fa85f64-5717-4562-b3fc-2c963f66afa6', channelId: own(7).channel_id, ...payload },
})
const failed = (code: number, reason: string) =>
  event('sms.outbound', { status: 'delivery_failed', reason, failure: { code } })

testCarrier({
  kind: 'bird',
  connect: (place) => connectAccount(place, 'bird', own(place.nth)),
  wrong: { access_key: 'access-key-of-nobody' },
  refusals: [
    [
      'an invalid message keeps its words, without the number',
      refusal(422, 'InvalidPayload', 'The number +15551234567 is invalid'),
      { outcome: 'rejected_permanent', message: 'InvalidPayload The number [number] is invalid' },
    ],
    ['a wrong key', refusal(401, 'Unauthorized'), { outcome: 'rejected_retryable', providerDown: true }],
    ['a key without the permission', refusal(403, 'Forbidden'), { outcome: 'rejected_retryable', providerDown: true }],
    [
      'a channel that is gone',
      refusal(404, 'ResourceNotFound', 'The requested resource does not exist'),
      { outcome: 'rejected_retryable', providerDown: true },
    ],
    ['a workspace that is gone', { status: 404, body: '' }, { outcome: 'rejected_retryable', providerDown: true }],
    ['too many requests', refusal(429, 'TooManyRequests'), { outcome: 'rejected_retryable' }],
  ],
  codes: {
    table: birdCodes,
    answer: (code) => refusal(422, code),
    documented: {
      permanent: '11001 11002 12002 12003 15005 InvalidPayload',
      unknown: '12001',
      accountDown: 'Unauthorized Forbidden',
    },
  },
  undelivered: { status: 'undelivered', error_code: '15005', retryable: false },
  proof: {
    secret: 'signing_key',
    several: true,
    windowS: 8 * 3600 + 300,
    forgeries: {
      'another body': ({ body, ...rest }) => ({ ...rest, body: Buffer.concat([body, Buffer.from(' ')]) }),
      'another time': ({ headers, ...rest }) => ({
        ...rest,
        headers: {
          ...headers,
          'messagebird-request-timestamp': secondBefore(headers['messagebird-request-timestamp']),
        },
      }),
      'another address': ({ url, ...rest }) => ({ ...rest, url: `${url}?more` }),
    },
    signer: {
      credentials: own(7),
      sign(body, url) {
        const timestamp = String(Math.floor(Date.now() / 1000))
        const hash = createHash('sha256').update(body).digest()
        const signature = createHmac('sha256', own(7).signing_key).update(`${timestamp}\n${url}\n`).update(hash)
        const headers = {
          'messagebird-request-timestamp': timestamp,
          'messagebird-signature': signature.digest('base64'),
        }
        return { body: Buffer.from(body), headers }
      },
      failure: (text) => failed(15001, text),
    },
    events: [
      [
        'an inbound message with the time at which it was sent',
        event('sms.inbound', {
          status: 'delivered',
          sender: { contact: { identifierKey: 'phonenumber', identifierValue: '+15559990000' } },
          body: { type: 'text', text: { text: 'Stop' } },
          createdAt: '2022-12-22T08:32:50.736Z',
        }),
        [{ type: 'message', occurredAt: new Date('2022-12-22T08:32:50.736Z'), content: { body: 'Stop' } }],
      ],
      [
        'a failure of the platform may pass',
        failed(15001, 'To +15551234567'),
        [{ reason: '15001 To [number]', retryable: true }],
      ],
      ['an invalid message does not', failed(11003, 'Invalid receiver'), [{ status: 'undelivered', retryable: false }]],
      ['a state in between is no receipt', event('sms.outbound', { status: 'processing' }), []],
      [
        'an event of another channel of the workspace is none',
        event('sms.outbound', { status: 'delivered', channelId: own(8).channel_id }),
        [],
      ],
      ['an event of another service is none', event('email.outbound', { status: 'delivered' }), []],
    ],
  },
})
