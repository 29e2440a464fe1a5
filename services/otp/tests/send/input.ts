import { expect, test } from '@jest/globals'
import { expectProblem } from '@notify/test-kit/api'
import { freshPhone } from '@notify/test-kit/sms'
import { postSend, postVerify, sendCode } from '../codes.ts'
import { env, limitedId } from './stack.ts'

const countTransactions = async () =>
  (await env.sql('otp').query('select count(*)::int as n from transactions')).rows[0].n

const phone = '+15550000000'
const invalid: [string, object, string][] = [
  ['length 5', { length: 5 }, 'length'],
  ['a length in text', { length: '6' }, 'length'],
  ['ttl 0', { ttl_seconds: 0 }, 'ttl_seconds'],
  ['ttl -1', { ttl_seconds: -1 }, 'ttl_seconds'],
  ['ttl 1e9', { ttl_seconds: 1e9 }, 'ttl_seconds'],
  ['ttl in text', { ttl_seconds: '300' }, 'ttl_seconds'],
  ['ttl with a fraction', { ttl_seconds: 30.5 }, 'ttl_seconds'],
  ['code abc', { code: 'abc' }, 'code'],
  ['Arabic digits', { code: '١٢٣٤' }, 'code'],
  ['a code as number', { code: 123456 }, 'code'],
  ['a code of 6 digits with length 4', { code: '123456', length: 4 }, 'code'],
  ['a code of 11 digits', { code: '12345678901' }, 'code'],
  ['a code with a line break', { code: '123456\n' }, 'code'],
  ['no channel', { channel: undefined }, 'channel'],
  ['a channel without codes', { channel: 'in_app' }, 'channel'],
  ['no recipient', { recipient: undefined }, 'recipient'],
  ['an object as recipient', { recipient: { phone } }, 'recipient'],
  ['an unknown field', { body: 'Your code is {{code}}' }, 'body'],
  ['an invalid language', { language: '../x' }, 'language'],
  ['an invalid locale', { locale: 'de_DE' }, 'locale'],
  ['a language that is not the locale', { locale: 'de', language: 'fr' }, 'language'],
]

test.each(invalid)('%s is 422 and names the path', async (_what, fields, path) => {
  const before = await countTransactions()
  const answer = await postSend(env, { channel: 'sms', recipient: phone, ...fields })
  expectProblem(answer, 422, 'validation_failed')
  expect(answer.body.errors[0].path).toBe(path)
  expect(await countTransactions()).toBe(before)
})

test.each([
  ['sms', 'ada@example.com'],
  ['sms', '15550000000'],
  ['sms', '+1 555 000 0000'],
  ['email', '+15550000000'],
  ['email', 'ada@localhost'],
  ['email', 'zoë@example.com'],
  ['whatsapp', 'ada@example.com'],
])('%s does not reach %s: 422 invalid_recipient', async (channel, recipient) => {
  const answer = await postSend(env, { channel, recipient })
  expectProblem(answer, 422, 'invalid_recipient')
  expect(answer.body.errors).toEqual([{ path: 'recipient', message: expect.any(String) }])
})

test.each([
  [{ transaction_id: ['otp_1'], code: '123456' }, 'transaction_id'],
  [{ transaction_id: 'otp_1', code: 123456 }, 'code'],
  [{ transaction_id: 'otp_1', code: { is: '123456' } }, 'code'],
  [{ transaction_id: 'otp_1', code: ['123456'] }, 'code'],
  [{ transaction_id: { $ne: '' }, code: '123456' }, 'transaction_id'],
  [{ transaction_id: 'otp_1', code: 'abc' }, 'code'],
  [{ transaction_id: 'otp_1' }, 'code'],
  [{ transaction_id: 'otp_1', code: '123456', application_id: limitedId }, 'application_id'],
])('verifying %j is 422 and names the path', async (body, path) => {
  const answer = await env.api('POST', '/api/v1/otp/verify', { body })
  expectProblem(answer, 422, 'validation_failed')
  expect(answer.body.errors[0].path).toBe(path)
})

test('a key without the permission is refused', async () => {
  const body = { channel: 'sms', recipient: freshPhone() }
  expectProblem(await postSend(env, body, { key: env.apiKeySendOnly }), 403, 'permission_denied')
  const { id, code } = await sendCode(env)
  const answer = await postVerify(env, id, code, { key: env.apiKeySendOnly })
  expectProblem(answer, 403, 'permission_denied')
})
