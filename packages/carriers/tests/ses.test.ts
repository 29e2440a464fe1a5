import { emailEvents } from '@notify/dev-env'
import type { Answer } from './conformance/fixture.ts'
import { testCarrier } from './conformance/test-carrier.ts'

const accounts = [0, 1].map((nth) => ({
  access_key_id: `AKIA000000000000000${nth}`,
  secret_access_key: `secret/of/the/account/number/${nth}`,
  topic_arns: nth === 0 ? emailEvents.topicArn : 'arn:aws:sns:us-east-1:999999999999:of-another',
}))
const refusal = (status: number, name: string, message = 'No'): Answer => ({
  status,
  headers: { 'x-amzn-errortype': name },
  body: { message },
})
const permanent = { outcome: 'rejected_permanent' } as const
const down = { outcome: 'rejected_retryable', providerDown: true } as const

testCarrier({
  kind: 'ses',
  sandbox: (publicUrl, [id]) => ({
    SES_ACCOUNTS: accounts.map((one) => `${one.access_key_id}:${one.secret_access_key}`).join(','),
    SES_EVENTS_URL: `${publicUrl}/api/v1/callbacks/email/${id}`,
    SES_TOPIC_ARN: emailEvents.topicArn,
  }),
  connect: async ({ nth }) => ({
    region: 'us-east-1',
    from: 'shop@example.com',
    configuration_set: 'email-events',
    ...accounts[nth]!,
  }),
  wrong: { secret_access_key: 'secret/of/the/account/of/nobody' },
  sending: (url) => ({ SES_API_URL: `${url}/ses` }),
  receiving: (url) => ({ SNS_CERTIFICATE_HOSTS: [url] }),
  refusals: [
    [
      'a sender that is not verified, or a recipient in the SES sandbox,',
      refusal(400, 'MessageRejected', 'Email address is not verified: "Ada" <ada.lovelace@example.com>'),
      {
        outcome: 'rejected_retryable',
        code: 'MessageRejected',
        message: 'MessageRejected Email address is not verified: "Ada" <[address]>',
      },
    ],
    ['a rejected message', refusal(400, 'MessageRejected', 'Transaction failed: Duplicate header'), permanent],
    ['a bad request', refusal(400, 'BadRequestException'), permanent],
    ['a rate that is used up', refusal(429, 'TooManyRequestsException'), { outcome: 'rejected_retryable' }],
    ['a limit of the account', refusal(400, 'LimitExceededException'), { outcome: 'rejected_retryable' }],
    ['a daily quota that is used up', refusal(400, 'ThrottlingException', 'Daily message quota exceeded'), down],
    ['a suspended account', refusal(400, 'AccountSuspendedException'), down],
    ['paused sending', refusal(400, 'SendingPausedException'), down],
    ['unknown credentials', refusal(403, 'InvalidClientTokenId'), down],
    [
      'a failure while it had the message',
      refusal(500, 'InternalServiceErrorException'),
      { outcome: 'unknown', carrierFault: true },
    ],
  ],
  undelivered: { status: 'undelivered', error_code: 'bounce:Permanent:General', suppress: 'bounce', retryable: false },
  proof: {
    // White space between the fields is not signed.
    forgeries: {
      'another event': ({ body, ...rest }) => ({
        ...rest,
        body: Buffer.from(String(body).replace('messageId', 'messageID')),
      }),
      'another time': ({ body, ...rest }) => ({
        ...rest,
        body: Buffer.from(JSON.stringify({ ...JSON.parse(String(body)), Timestamp: '2020-01-01T00:00:00.000Z' })),
      }),
    },
  },
})
