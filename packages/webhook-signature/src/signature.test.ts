import { createHmac } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import { newWebhookSecret, readWebhookSecret, signWebhook } from './index.ts'

const secret = newWebhookSecret()
const body = '{"name":"Zoë","n":1}'
const message = { id: 'msg_1', timestamp: Math.floor(Date.now() / 1000), body }
const macOf = (key: string) =>
  createHmac('sha256', readWebhookSecret(key)).update(`msg_1.${message.timestamp}.${body}`).digest('hex')

test('the X-SVC headers prove the id, the time and the body', () => {
  expect(signWebhook(message, [secret])).toMatchObject({
    'x-svc-id': 'msg_1',
    'x-svc-timestamp': String(message.timestamp),
    'x-svc-signature': `v1=${macOf(secret)}`,
  })
})

test('while secrets are being rotated, each verifies', () => {
  const secrets = [newWebhookSecret(), newWebhookSecret(), secret]
  const headers = signWebhook(message, secrets)
  expect(headers['x-svc-signature']).toBe(secrets.map((one) => `v1=${macOf(one)}`).join(','))
  for (const one of secrets) {
    expect(new Webhook(one).verify(body, headers)).toEqual({ name: 'Zoë', n: 1 })
  }
})

test.each(['', 'whsec_', 'whsec_***', 'secret', 'whsec_c2hvcnQ='])('%j is no secret', (text) => {
  expect(() => readWebhookSecret(text)).toThrow('must be whsec_')
})
