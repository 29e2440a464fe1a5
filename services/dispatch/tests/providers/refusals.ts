import { expect, test } from '@jest/globals'
import { expectProblem } from '@notify/test-kit/api'
import { call, env, path, pathsOf, smtp, twilio, webhook, whatsapp } from './stack.ts'

test.each<[string, object, string[]]>([
  ['a kind nobody knows', twilio({ kind: 'pigeon' }), ['kind']],
  ['a kind that objects inherit', twilio({ kind: 'constructor' }), ['kind']],
  ['another channel than its kind', twilio({ channel: 'email' }), ['channel']],
  ['no name', twilio({ name: ' ' }), ['name']],
  ['a NUL in its name', twilio({ name: 'a\u0000' }), ['name']],
  ['a priority below 0', twilio({ priority: -1 }), ['priority']],
  ['a rate of 0', twilio({ rate_limit_per_second: 0 }), ['rate_limit_per_second']],
  ['no credentials', twilio({ credentials: {} }), ['credentials.account_sid', 'credentials.auth_token']],
  ['credentials that are no texts', twilio({ credentials: { account_sid: 7 } }), ['credentials.account_sid']],
  ['huge credentials', twilio({ credentials: { auth_token: 'x'.repeat(9000) } }), ['credentials.auth_token']],
  [
    'a field that its kind does not have',
    twilio({ credentials: { ...twilio().credentials, colour: 'blue' } }),
    ['credentials.colour'],
  ],
  [
    'a webhook secret of its own',
    webhook({ credentials: { secret: `whsec_${'a'.repeat(32)}` } }),
    ['credentials.secret'],
  ],
  ['delays that are none', webhook({ credentials: { retry_delays: 'soon' } }), ['credentials.retry_delays']],
  [
    'delays that call a receiver many times at once',
    webhook({ credentials: { retry_delays: '0s,0s' } }),
    ['credentials.retry_delays'],
  ],
  [
    'a rate and a weight that webhooks do not have',
    webhook({ rate_limit_per_second: 5, weight: 50 }),
    ['rate_limit_per_second', 'weight'],
  ],
  ['a number that is none', whatsapp({ phone_number_id: 'x' }), ['credentials.phone_number_id']],
  ['a token with a line break', whatsapp({ access_token: 'abcdefgh\r\nX: y' }), ['credentials.access_token']],
  ['a field nobody knows', twilio({ tenant_id: 'x' }), ['tenant_id']],
])('a provider with %s is 422 naming the field, and is not stored', async (_what, body, paths) => {
  const before = await env.admin.query('select from dispatch.providers')
  const answer = await call('POST', path, { body })
  expectProblem(answer, 422, 'validation_failed')
  expect(pathsOf(answer)).toEqual(paths)
  expect(answer.text).not.toContain('Invalid input')
  expect((await env.admin.query('select from dispatch.providers')).rowCount).toBe(before.rowCount)
})

test('a body that pollutes is refused', async () => {
  for (const field of ['__proto__', 'constructor', 'prototype']) {
    const raw = JSON.stringify(twilio()).replace('"account_sid"', `"${field}":"x","account_sid"`)
    const answer = await call('POST', path, { raw, headers: { 'content-type': 'application/json' } })
    expectProblem(answer, 422, 'validation_failed')
  }
})

test.each([
  '127.0.0.1',
  '10.0.0.1',
  '169.254.169.254',
  '168.63.129.16',
  '2130706433',
  'localhost',
  'mail.internal',
  'redis',
])('the mail server %s of a tenant may not be called', async (host) => {
  const refused = await call('POST', path, { body: smtp(host) })
  expectProblem(refused, 422, 'destination_not_allowed')
  expect(pathsOf(refused)).toEqual(['credentials.host'])
})
