import { expect, test } from '@jest/globals'
import { readNatsLogin } from './nats-login.ts'

const url = 'nats://nats:4222'

test('user and password come from the address, decoded, or from variables of their own', () => {
  const inAddress = readNatsLogin({ NATS_URL: 'nats://otp:p%40ss%3A1@nats:4222' })
  expect(inAddress).toEqual({ servers: ['nats:4222'], identity: 'user otp', options: { user: 'otp', pass: 'p@ss:1' } })
  expect(readNatsLogin({ NATS_URL: url, NATS_USER: 'otp', NATS_PASSWORD: 'p@ss:1' })).toEqual(inAddress)
})

test('a name alone in the address is a token', () => {
  const token = { servers: ['nats:4222'], identity: 'a token', options: { token: 's3cret' } }
  expect(readNatsLogin({ NATS_URL: 'nats://s3cret@nats' })).toEqual(token)
  expect(readNatsLogin({ NATS_URL: url, NATS_TOKEN: 's3cret' })).toEqual(token)
})

test('one address of a cluster may contain the login for all, and the addresses are kept without secrets', () => {
  const { servers, options } = readNatsLogin({ NATS_URL: 'nats://a:4222,nats://otp:s3cret@b:4223,nats://[::1]' })
  expect(servers).toEqual(['a:4222', 'b:4223', '[::1]:4222'])
  expect(options).toEqual({ user: 'otp', pass: 's3cret' })
})

test('TLS is required by tls://, by a CA or by a client certificate', () => {
  expect(readNatsLogin({ NATS_URL: url }).options.tls).toBeUndefined()
  expect(readNatsLogin({ NATS_URL: 'tls://nats' }).options.tls).toEqual({})
  expect(readNatsLogin({ NATS_URL: url, NATS_CA_FILE: '/ca' }).options.tls).toEqual({ caFile: '/ca' })
  const pair = { NATS_CERT_FILE: '/cert', NATS_KEY_FILE: '/key' }
  expect(readNatsLogin({ NATS_URL: url, ...pair }).options.tls).toEqual({ certFile: '/cert', keyFile: '/key' })
})

test.each([
  [{ NATS_USER: 'otp' }, 'NATS_PASSWORD is not set, although NATS_USER is'],
  [{ NATS_PASSWORD: 's3cret' }, 'NATS_USER is not set, although NATS_PASSWORD is'],
  [{ NATS_CERT_FILE: '/cert' }, 'NATS_KEY_FILE is not set, although NATS_CERT_FILE is'],
  [{ NATS_KEY_FILE: '/key' }, 'NATS_CERT_FILE is not set, although NATS_KEY_FILE is'],
  [
    { NATS_URL: 'nats://otp:s3cret@nats', NATS_TOKEN: 's3cret' },
    'NATS: several logins are set (NATS_URL, NATS_TOKEN): keep one',
  ],
  [{ NATS_URL: 'nats://otp:s3cret@a,nats://otp:other@b' }, 'NATS_URL: its addresses contain different logins'],
  [{ NATS_CREDS: import.meta.filename }, `NATS_CREDS: ${import.meta.filename} is not a NATS credentials file`],
])('a contradiction is reported in one line without secrets: %#', (variables, line) => {
  expect(() => readNatsLogin({ NATS_URL: url, ...variables })).toThrow(new Error(line))
})
