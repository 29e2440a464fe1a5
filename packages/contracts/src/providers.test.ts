import { expect, test } from '@jest/globals'
import { TwilioCredentials } from './providers.ts'

const account = { account_sid: `AC${'0a'.repeat(16)}`, auth_token: 'f'.repeat(32) }
const sender = { from: '+15005550006' }
const service = { messaging_service_sid: `MG${'0a'.repeat(16)}` }

test.each([
  ['a sender', { ...account, ...sender }],
  ['a messaging service', { ...account, ...service }],
])('an account with %s is taken', (_what, credentials) => {
  expect(TwilioCredentials.safeParse(credentials).success).toBe(true)
})

test.each([
  ['neither sender nor service', account],
  ['both', { ...account, ...sender, ...service }],
  ['an account id in upper case', { ...account, ...sender, account_sid: `AC${'0A'.repeat(16)}` }],
  ['a short token', { ...account, ...sender, auth_token: 'f' }],
  ['a sender that is no number', { ...account, from: 'Shop' }],
  ['a field nobody knows', { ...account, ...sender, region: 'ie1' }],
])('an account with %s is refused', (_what, credentials) => {
  expect(TwilioCredentials.safeParse(credentials).success).toBe(false)
})
