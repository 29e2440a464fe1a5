import { Webhook } from 'standardwebhooks'
import { recipientTag } from '../src/recipient-mark.ts'
import { resendCodes } from '../src/resend/codes.ts'
import { connectAccount } from './conformance/connect-account.ts'
import type { Answer } from './conformance/fixture.ts'
import { secondBefore } from './conformance/second-before.ts'
import { testCarrier } from './conformance/test-carrier.ts'

const refusal = (statusCode: number, name: string, message = name): Answer => ({
  status: statusCode,
  body: { statusCode, name, message },
})
const own = (nth: number) => ({
  api_key: `re_key_number_${nth}`,
  signing_secret: `whsec_${Buffer.from(`secret of the account number ${nth}`).toString('base64')}`,
})
const recipient = 'ada.lovelace@example.com'
const event = (type: string, data: object = {}) => ({
  type,
  created_at: '2026-11-22T23:41:12.126Z',
  data: { email_id: '56761188-7520-42d8-8898-ff6fc54ce618', to: [recipient], ...data },
})
const bounced = (type: string, subType: string) =>
  event('email.bounced', { bounce: { type, subType, message: `The mailbox ${recipient} does not exist` } })
const down = { outcome: 'rejected_retryable', providerDown: true } as const
const signer = own(7)

testCarrier({
  kind: 'resend',
  connect: (place) => connectAccount(place, 'resend', own(place.nth), { from: 'shop@example.com' }),
  wrong: { api_key: 're_key_of_nobody' },
  refusals: [
    [
      'an invalid field',
      refusal(422, 'validation_error', `Invalid \`to\` field: ${recipient}`),
      { outcome: 'rejected_permanent', message: 'validation_error Invalid `to` field: [address]' },
    ],
    ['a wrong key', refusal(401, 'validation_error', 'API key is invalid'), down],
    ['a wrong key, as a bad request', refusal(400, 'validation_error', 'API key is invalid'), down],
    ['a wrong key, as documented', refusal(403, 'invalid_api_key'), down],
    ['a domain that is not verified', refusal(403, 'validation_error', 'The domain is not verified'), down],
    ['a restricted key', refusal(401, 'restricted_api_key'), down],
    ['a quota that is used up', refusal(429, 'daily_quota_exceeded'), down],
    ['too many requests', refusal(429, 'rate_limit_exceeded'), { outcome: 'rejected_retryable' }],
    [
      'a repetition with other content',
      refusal(409, 'invalid_idempotent_request'),
      {
        outcome: 'unknown',
        message: 'invalid_idempotent_request Resend has an earlier attempt of the message; it may have been sent',
      },
    ],
    [
      'a repetition while it works on the first',
      refusal(409, 'concurrent_idempotent_requests'),
      { outcome: 'rejected_retryable' },
    ],
    [
      'a failure while it had the message',
      refusal(500, 'application_error'),
      { outcome: 'unknown', carrierFault: true },
    ],
  ],
  senderRefusals: [
    refusal(403, 'validation_error', 'The shop.example domain is not verified.'),
    refusal(403, 'validation_error', 'This API key is not authorized to send emails from shop.example'),
  ],
  reportsAreVague: true,
  codes: {
    table: resendCodes,
    answer: (code) => refusal(422, code),
    documented: {
      permanent: `validation_error missing_required_field invalid_parameter invalid_from_address invalid_attachment not_found
        method_not_allowed invalid_idempotency_key`,
      accountDown: `missing_api_key invalid_api_key restricted_api_key invalid_access security_error daily_quota_exceeded
        monthly_quota_exceeded`,
      unknown: 'invalid_idempotent_request application_error internal_server_error',
      later: 'concurrent_idempotent_requests rate_limit_exceeded',
    },
  },
  undelivered: { status: 'undelivered', error_code: 'bounce:Permanent:General', suppress: 'bounce', retryable: false },
  proof: {
    secret: 'signing_secret',
    windowS: 300,
    forgeries: {
      'another body': ({ body, ...rest }) => ({ ...rest, body: Buffer.concat([body, Buffer.from(' ')]) }),
      'another id': ({ headers, ...rest }) => ({ ...rest, headers: { ...headers, 'svix-id': 'msg_other' } }),
      'another time': ({ headers, ...rest }) => ({
        ...rest,
        headers: { ...headers, 'svix-timestamp': secondBefore(headers['svix-timestamp']) },
      }),
      'no signature': ({ headers, ...rest }) => ({ ...rest, headers: { ...headers, 'svix-signature': 'v1,' } }),
    },
    signer: {
      credentials: { ...signer, from: 'shop@example.com' },
      sign(body) {
        const at = new Date()
        const signature = new Webhook(signer.signing_secret).sign('msg_1', at, body)
        // While a secret is rotated, Svix sends the signature of each.
        const headers = { 'svix-id': 'msg_1', 'svix-timestamp': String(Math.floor(at.getTime() / 1000)) }
        return { body: Buffer.from(body), headers: { ...headers, 'svix-signature': `v1,b2xk ${signature}` } }
      },
      failure: (reason) => event('email.failed', { failed: { reason } }),
    },
    events: [
      [
        'a bounce names nobody',
        bounced('Permanent', 'Suppressed'),
        [
          {
            reason: 'bounce:Permanent:Suppressed The mailbox [address] does not exist',
            suppress: 'bounce',
          },
        ],
      ],
      [
        'a full mailbox may be tried again',
        bounced('Transient', 'MailboxFull'),
        [{ status: 'undelivered', retryable: true }],
      ],
      [
        'an address that is reported with its name is masked',
        event('email.bounced', {
          to: [`Ada Lovelace <${recipient}>`],
          tags: { recipient_tag: recipientTag('0123456789abcdef', recipient) },
          bounce: { type: 'Transient', subType: 'MailboxFull', message: 'The mailbox ada.lovelace is full' },
        }),
        [{ reason: 'bounce:Transient:MailboxFull The mailbox [address] is full' }],
      ],
      ['a type that is not a word', bounced("x' or 1", 'a\0b'), [{ error_code: 'bounce:Undetermined:Undetermined' }]],
      [
        'a failure',
        event('email.failed', { failed: { reason: 'invalid_recipient' } }),
        [{ status: 'failed', retryable: false }],
      ],
      [
        'a failure because of a quota may be tried again',
        event('email.failed', { failed: { reason: 'reached_daily_quota' } }),
        [{ status: 'failed', retryable: true }],
      ],
      [
        'a failure because of a rate limit may be tried again',
        event('email.failed', { failed: { reason: 'rate_limit_exceeded' } }),
        [{ status: 'failed', retryable: true }],
      ],
      ['a suppressed recipient', event('email.suppressed'), [{ status: 'failed', suppress: 'bounce' }]],
      ['an open is no receipt', event('email.opened'), []],
      ['an event that JavaScript knows', event('constructor'), []],
    ],
  },
})
