import { generateKeyPairSync, sign } from 'node:crypto'
import { connectAccount } from './conformance/connect-account.ts'
import type { Answer } from './conformance/fixture.ts'
import { testCarrier } from './conformance/test-carrier.ts'

const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const refusal = (status: number, message: string): Answer => ({ status, body: { errors: [{ message, field: null }] } })
const event = (fields: object) => ({
  email: 'ada.lovelace@example.com',
  timestamp: 1_513_299_569,
  sg_event_id: 'ZXZlbnQtMQ',
  sg_message_id: '14c5d75ce93.recvd-5f7b-1-0.0',
  ...fields,
})
const bounced = event({
  event: 'bounce',
  type: 'bounce',
  status: '5.1.1',
  reason: '550 5.1.1 <ada.lovelace@example.com>: ada.lovelace unknown',
})
const dropped = (reason: string) => event({ event: 'dropped', reason })

testCarrier({
  kind: 'sendgrid',
  connect: (place) =>
    connectAccount(place, 'sendgrid', { api_key: `SG.key-number-${place.nth}` }, { from: 'shop@example.com' }),
  wrong: { api_key: 'SG.key-of-nobody' },
  refusals: [
    [
      'an invalid recipient',
      refusal(400, 'Does not contain a valid address: ada.lovelace@example.com.'),
      { outcome: 'rejected_permanent', message: 'http_400 Does not contain a valid address: [address]' },
    ],
    ['a revoked key', refusal(401, 'The provided authorization grant is invalid'), { providerDown: true }],
    ['a sender that is not verified', refusal(403, 'The from address does not match'), { providerDown: true }],
    ['a message that is too large', refusal(413, 'Payload too large'), { outcome: 'rejected_permanent' }],
    [
      'too many requests',
      { ...refusal(429, 'too many requests'), headers: { 'x-ratelimit-reset': '3' } },
      { outcome: 'rejected_retryable', retryAfterMs: 3000 },
    ],
    [
      'a failure that names the reset of the limit, as every answer does,',
      { ...refusal(503, 'Service Unavailable'), headers: { 'x-ratelimit-reset': '60' } },
      { outcome: 'rejected_retryable', carrierFault: true, retryAfterMs: null },
    ],
    [
      'a limit whose reset has just passed',
      {
        ...refusal(429, 'too many requests'),
        headers: { 'x-ratelimit-reset': String(Math.floor(Date.now() / 1000) - 1) },
      },
      { outcome: 'rejected_retryable', retryAfterMs: 1000 },
    ],
  ],
  senderRefusals: [refusal(403, 'The from address does not match a verified Sender Identity.')],
  undelivered: { status: 'undelivered', error_code: 'bounce:5.1.1', suppress: 'bounce', retryable: false },
  proof: {
    secret: 'verification_key',
    several: true,
    windowS: 24 * 3600 + 300,
    signer: {
      credentials: {
        api_key: 'SG.key-of-a-signer',
        from: 'shop@example.com',
        verification_key: keys.publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
      },
      sign(body) {
        const timestamp = String(Math.floor(Date.now() / 1000))
        const signature = sign('sha256', Buffer.from(timestamp + body), keys.privateKey).toString('base64')
        const name = 'x-twilio-email-event-webhook'
        return {
          body: Buffer.from(body),
          headers: { [`${name}-signature`]: signature, [`${name}-timestamp`]: timestamp },
        }
      },
      failure: (reason) => [{ ...bounced, reason }],
    },
    events: [
      [
        'a batch gives a report of each readable event of delivery',
        [event({ event: 'open' }), { event: 'delivered' }, event({ event: 'delivered' }), bounced, 'x'],
        [
          { provider_message_id: '14c5d75ce93', status: 'delivered' },
          {
            status: 'undelivered',
            reason: 'bounce:5.1.1 550 5.1.1 <[address]>: [address] unknown',
            suppress: 'bounce',
          },
        ],
      ],
      [
        'a bounce that comes late has no id of the message, and is a report of its event',
        [{ ...bounced, sg_message_id: undefined }],
        [{ provider_message_id: 'ZXZlbnQtMQ', status: 'undelivered' }],
      ],
      [
        'a recipient that SendGrid suppresses for a bounce',
        [dropped('Bounced Address')],
        [{ status: 'failed', suppress: 'bounce' }],
      ],
      [
        'a drop because of a quota of the account may be tried again',
        [dropped('Recipient List over Package Quota')],
        [{ status: 'failed', error_code: 'dropped', retryable: true }],
      ],
      ['for spam', [dropped('Spam Reporting Address')], [{ status: 'failed', suppress: 'complaint' }]],
      [
        'as unsubscribed',
        [dropped('Unsubscribed Address')],
        [{ status: 'failed', suppress: 'stop', retryable: false }],
      ],
      [
        'a recipient who unsubscribes, of all mail or of a group',
        [event({ event: 'unsubscribe' }), event({ event: 'group_unsubscribe', asm_group_id: 1 })],
        [
          { status: 'unsubscribed', suppress: 'stop', error_code: 'unsubscribe' },
          { status: 'unsubscribed', suppress: 'stop', error_code: 'group_unsubscribe' },
        ],
      ],
      ['events that say nothing of delivery', [event({ event: 'click' }), event({ event: 'constructor' })], []],
    ],
  },
})
