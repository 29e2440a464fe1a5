import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { newWebhookSecret, signWebhook } from '@notify/webhook-signature'
import { verifyWebhook, WebhookVerificationError } from './index.ts'

// A second that began between signing and verifying would make another time the signed one.
beforeAll(() => void jest.spyOn(Date, 'now').mockReturnValue(1_800_000_000_000))
afterAll(() => void jest.restoreAllMocks())

const secret = newWebhookSecret()
const now = () => Math.floor(Date.now() / 1000)
const body = '{"name":"Zoë","n":1}'
const event = { name: 'Zoë', n: 1 }
type Signed = Record<string, string>
const signed = (secrets = [secret], timestamp = now(), text = body) =>
  signWebhook({ id: 'msg_1', timestamp, body: text }, secrets)
const only = (headers: Signed, prefix: string) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith(prefix)))

test.each(['x-svc', 'webhook'])('a signed message verifies by the headers %s-* alone', (prefix) => {
  const headers = only(signed(), prefix)
  expect(verifyWebhook(headers, body, secret)).toEqual(event)
  expect(verifyWebhook(new Headers(headers), Buffer.from(body), secret)).toEqual(event)
  const inCapitals = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]))
  expect(verifyWebhook(inCapitals, body, secret)).toEqual(event)
})

test.each(['x-svc', 'webhook'])('while a secret is being rotated, either verifies by %s-*', (prefix) => {
  const next = newWebhookSecret()
  const headers = only(signed([next, secret]), prefix)
  for (const one of [secret, next, [newWebhookSecret(), secret]])
    expect(verifyWebhook(headers, body, one)).toEqual(event)
})

const wrong: Record<string, (headers: Signed, prefix: string) => [Signed, string, string]> = {
  'another body': (headers) => [headers, `${body} `, secret],
  'another secret': (headers) => [headers, body, newWebhookSecret()],
  'another id': (headers, prefix) => [{ ...headers, [`${prefix}-id`]: 'msg_2' }, body, secret],
  'another time': (headers, prefix) => [{ ...headers, [`${prefix}-timestamp`]: String(now() - 1) }, body, secret],
  'no time': (headers, prefix) => [{ ...headers, [`${prefix}-timestamp`]: 'now' }, body, secret],
  'no signature': (headers, prefix) => [{ ...headers, [`${prefix}-signature`]: '' }, body, secret],
  'another version': (headers, prefix) => [
    { ...headers, [`${prefix}-signature`]: headers[`${prefix}-signature`]!.replace('v1', 'v2') },
    body,
    secret,
  ],
  'half a signature': (headers, prefix) => [
    { ...headers, [`${prefix}-signature`]: headers[`${prefix}-signature`]!.slice(0, 20) },
    body,
    secret,
  ],
  'a text that is not JSON': (_, prefix) => [only(signed([secret], now(), 'text'), prefix), 'text', secret],
  '301 seconds ago': (_, prefix) => [only(signed([secret], now() - 301), prefix), body, secret],
  'in 301 seconds': (_, prefix) => [only(signed([secret], now() + 301), prefix), body, secret],
}

test.each(['x-svc', 'webhook'].flatMap((prefix) => Object.keys(wrong).map((what) => [prefix, what] as const)))(
  '%s: %s is refused',
  (prefix, what) => {
    const [headers, text, key] = wrong[what]!(only(signed(), prefix), prefix)
    expect(() => verifyWebhook(headers, text, key)).toThrow(WebhookVerificationError)
  },
)

test.each(['', 'whsec_', 'whsec_***', 'secret', 'whsec_c2hvcnQ='])('%j is no secret', (text) => {
  expect(() => verifyWebhook(signed(), body, text)).toThrow(TypeError)
})
