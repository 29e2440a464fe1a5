import { expect, test } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import { newWebhookSecret, readWebhookSecret, signWebhook, verifyWebhook } from './index.ts'

const secret = newWebhookSecret()
const now = () => Math.floor(Date.now() / 1000)
const body = '{"name":"Zoë","n":1}'
const message = (timestamp = now()) => ({ id: 'msg_1', timestamp, body })

test('what is signed verifies, by our own code and by that of Standard Webhooks', () => {
  const headers = signWebhook(message(), [secret])
  expect(verifyWebhook(headers, body, secret)).toEqual({ name: 'Zoë', n: 1 })
  expect(verifyWebhook(headers, Buffer.from(body), secret)).toEqual({ name: 'Zoë', n: 1 })
  expect(new Webhook(secret).verify(body, headers)).toEqual({ name: 'Zoë', n: 1 })
})

test('while a secret is being rotated, either verifies', () => {
  const next = newWebhookSecret()
  const headers = signWebhook(message(), [next, secret])
  expect(headers['x-svc-signature']).toMatch(/^v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/)
  for (const one of [secret, next]) {
    expect(() => verifyWebhook(headers, body, one)).not.toThrow()
    expect(() => new Webhook(one).verify(body, headers)).not.toThrow()
  }
})

test.each<[string, (headers: Record<string, string>) => [object, string, string]]>([
  ['another body', (headers) => [headers, `${body} `, secret]],
  ['another secret', (headers) => [headers, body, newWebhookSecret()]],
  ['another id', (headers) => [{ ...headers, 'x-svc-id': 'msg_2' }, body, secret]],
  ['another time', (headers) => [{ ...headers, 'x-svc-timestamp': String(now() - 1) }, body, secret]],
  ['no signature', (headers) => [{ ...headers, 'x-svc-signature': '' }, body, secret]],
  ['a signature of another version', (headers) => [{ ...headers, 'x-svc-signature': 'v2=00' }, body, secret]],
  ['no timestamp', (headers) => [{ ...headers, 'x-svc-timestamp': 'now' }, body, secret]],
])('%s is refused', (_what, change) => {
  const [headers, text, key] = change(signWebhook(message(), [secret]))
  expect(() => verifyWebhook(headers as Record<string, string>, text, key)).toThrow()
})

test.each([-301, 301])('a timestamp that is %i seconds off is refused', (offset) => {
  expect(() => verifyWebhook(signWebhook(message(now() + offset), [secret]), body, secret)).toThrow(/timestamp/)
})

test.each(['', 'whsec_', 'whsec_***', 'secret', 'whsec_c2hvcnQ='])('%j is no secret', (text) => {
  expect(() => readWebhookSecret(text)).toThrow('must be whsec_')
})
