import { expect, test } from '@jest/globals'
import { vonageReceiver } from './receive.ts'

const account = {
  id: 'prov_1',
  tenantId: 'ten_1',
  accountId: 'abcd0001',
  secret: 'secret',
  sender: null,
  topicArns: [],
} as const

test.each<[string, Record<string, string>, string]>([
  ['without a token is asked for again', {}, 'rate_limited'],
  ['with Basic auth is asked for again', { authorization: 'Basic YTpi' }, 'rate_limited'],
  ['with a forged token is refused', { authorization: 'Bearer aaaa.bbbb.cccc' }, 'invalid_signature'],
  ['with half a token is refused', { authorization: 'Bearer aaaa' }, 'invalid_signature'],
])('a callback %s', (_what, headers, code) => {
  const callback = { body: Buffer.from('{}'), headers, url: '/', params: { provider_id: account.id } }
  const claim = vonageReceiver.endpoints[0]!.open(undefined as never, callback)
  expect(() => claim.receive([account])).toThrow(expect.objectContaining({ code }))
})
