import { postmarkCodes } from '../src/postmark/codes.ts'
import { connectAccount } from './conformance/connect-account.ts'
import type { Answer } from './conformance/fixture.ts'
import { testCarrier } from './conformance/test-carrier.ts'

const refusal = (status: number, ErrorCode: number, Message: string): Answer => ({
  status,
  body: { ErrorCode, Message },
})
const own = (nth: number) => ({
  server_token: `server-token-number-${nth}`,
  account_token: `account-token-number-${nth}`,
  webhook_password: `webhook-password-number-${nth}`,
})
const record = (fields: object) => ({
  RecordType: 'Bounce',
  ID: 42,
  MessageID: '883953f4-6105-42a2-a16a-77a8eac79483',
  Email: 'ada.lovelace@example.com',
  Details: 'smtp;550 5.1.1 <ada.lovelace@example.com>: unknown',
  ...fields,
})
const change = (fields: object) => ({
  RecordType: 'SubscriptionChange',
  MessageID: '883953f4-6105-42a2-a16a-77a8eac79483',
  Recipient: 'ada.lovelace@example.com',
  Origin: 'Recipient',
  SuppressSending: true,
  Metadata: {},
  ...fields,
})
const permanent = { outcome: 'rejected_permanent' } as const
const down = { outcome: 'rejected_retryable', providerDown: true } as const

testCarrier({
  kind: 'postmark',
  connect: (place) => connectAccount(place, 'postmark', own(place.nth), { from: 'shop@example.com' }),
  wrong: { server_token: 'server-token-of-nobody' },
  refusals: [
    [
      'an invalid request',
      refusal(422, 300, "Error parsing 'To': Illegal email address 'ada.lovelace@example.com'."),
      { ...permanent, code: '300', message: "300 Error parsing 'To': Illegal email address [address]" },
    ],
    ['an inactive recipient', refusal(422, 406, 'Found inactive addresses: ada.lovelace@example.com.'), permanent],
    ['a wrong token', refusal(401, 10, 'No Account or Server API tokens were supplied'), { ...down, code: '10' }],
    ['maintenance', refusal(503, 100, 'Maintenance'), { outcome: 'rejected_retryable', carrierFault: true }],
    ['an unconfirmed sender', refusal(422, 401, 'The Sender Signature is not confirmed'), down],
    ['no credits', refusal(422, 405, 'Not allowed to send'), down],
    ['a pending account', refusal(422, 412, 'Account is pending'), down],
    ['too many requests', refusal(429, 429, 'Rate limit exceeded'), { outcome: 'rejected_retryable', code: '429' }],
  ],
  senderRefusals: [
    refusal(422, 400, 'The Sender Signature does not exist'),
    refusal(422, 401, 'The Sender Signature is not confirmed'),
  ],
  codes: {
    table: postmarkCodes,
    answer: (code) => refusal(422, Number(code), code),
    documented: {
      accountDown: '10 400 401 405 412 413 1235',
      carrierFault: '100',
      permanent: '300 402 403 406 409 411',
      later: '429',
    },
  },
  undelivered: { status: 'undelivered', error_code: 'HardBounce', suppress: 'bounce', retryable: false },
  proof: {
    secret: 'webhook_password',
    several: true,
    // Nothing is signed: the whole proof is the password.
    forgeries: {
      'another password': ({ headers, ...rest }) => ({
        ...rest,
        headers: { ...headers, authorization: `Basic ${Buffer.from('postmark:guess').toString('base64')}` },
      }),
      'no password': ({ headers: { authorization: _, ...headers }, ...rest }) => ({ ...rest, headers }),
    },
    signer: {
      credentials: { ...own(7), from: 'shop@example.com' },
      sign: (body) => ({
        body: Buffer.from(body),
        headers: { authorization: `Basic ${Buffer.from('any:webhook-password-number-7').toString('base64')}` },
      }),
      failure: (Details) => record({ Type: 'HardBounce', Details }),
    },
    events: [
      [
        'a full mailbox may be tried again',
        record({ Type: 'SoftBounce' }),
        [{ status: 'undelivered', retryable: true }],
      ],
      ['a delay is no failure', record({ Type: 'Transient' }), [{ status: 'delayed' }]],
      ['a deactivated address', record({ Type: 'ManuallyDeactivated' }), [{ suppress: 'bounce' }]],
      ['a block for content', record({ Type: 'SpamNotification' }), [{ status: 'undelivered', retryable: false }]],
      [
        'a recipient who has unsubscribed',
        change({ SuppressionReason: 'ManualSuppression' }),
        [{ status: 'unsubscribed', suppress: 'stop', error_code: 'ManualSuppression' }],
      ],
      [
        'a change of the subscription after a complaint',
        change({ SuppressionReason: 'SpamComplaint' }),
        [{ status: 'complained', suppress: 'complaint' }],
      ],
      [
        'a change of the subscription after a bounce',
        change({ SuppressionReason: 'HardBounce' }),
        [{ status: 'undelivered', suppress: 'bounce', retryable: false }],
      ],
      ['a reactivation is no receipt', change({ SuppressSending: false, SuppressionReason: null }), []],
      [
        'a suppression by hand, which names no message, is no receipt',
        change({ MessageID: null, SuppressionReason: 'ManualSuppression' }),
        [],
      ],
      ['an automatic reply is no receipt', record({ Type: 'AutoResponder' }), []],
      ['a type that JavaScript knows', record({ Type: 'constructor' }), []],
      ['an open is no receipt', { ...record({}), RecordType: 'Open' }, []],
      [
        'metadata of another form correlates nothing',
        { RecordType: 'Delivery', MessageID: 'm-1', Metadata: { notification_id: 'notif_1', attempt_id: 7 } },
        [{ status: 'delivered', provider_message_id: 'm-1' }],
      ],
    ],
  },
})
