import type { Answer } from './conformance/fixture.ts'
import { testCarrier } from './conformance/test-carrier.ts'

const accounts = [0, 1].map((nth) => ({
  account_sid: `AC${String(nth).repeat(32)}`,
  auth_token: `auth-token-number-${nth}`,
}))
const refusal = (status: number, code: number, message = 'Refused'): Answer => ({
  status,
  body: { code, message, status },
})
const permanent = { outcome: 'rejected_permanent' } as const

testCarrier({
  kind: 'twilio',
  sandbox: (publicUrl) => ({
    TWILIO_ACCOUNTS: accounts.map(({ account_sid, auth_token }) => `${account_sid}:${auth_token}`).join(','),
    TWILIO_INBOUND_URL: `${publicUrl}/api/v1/callbacks/smsprovider/inbound`,
  }),
  connect: async ({ nth }) => ({ ...accounts[nth]!, from: '+15005550006' }),
  wrong: { auth_token: 'auth-token-of-nobody' },
  sending: (url) => ({ TWILIO_API_URL: `${url}/twilio` }),
  refusals: [
    [
      'an invalid number',
      refusal(400, 21211, "Invalid 'To' Phone Number: +15551234567"),
      { ...permanent, code: '21211' },
    ],
    [
      'a code that is not listed keeps its words, without the number',
      refusal(400, 21999, 'The number +15551234567 is odd'),
      { ...permanent, message: '21999 The number [number] is odd' },
    ],
    ['a recipient that has unsubscribed', refusal(400, 21610), { ...permanent, suppress: 'stop' }],
    ['wrong credentials', refusal(401, 20003), { outcome: 'rejected_retryable', providerDown: true }],
    ['a suspended account', refusal(400, 30002), { outcome: 'rejected_retryable', providerDown: true }],
    ['a full queue', refusal(400, 30001), { outcome: 'rejected_retryable' }],
    ['too many requests', { ...refusal(429, 20429), headers: { 'retry-after': '7' } }, { retryAfterMs: 7000 }],
  ],
  undelivered: { status: 'undelivered', error_code: '30003', retryable: true },
  proof: { secret: 'auth_token', several: 'previous_auth_token' },
})
