import { expect, jest, test } from '@jest/globals'
import { mailgunReceiver } from './receive.ts'

const account = {
  id: 'prov_1',
  tenantId: 'ten_1',
  accountId: 'abcd0001',
  secret: 'secret',
  sender: null,
  topicArns: [],
} as const

test('the texts of a webhook are cleaned only when its signature is proven', () => {
  const signature = { timestamp: '1700000000', token: 'token', signature: 'forged' }
  const body = Buffer.from(JSON.stringify({ signature, 'event-data': {} }))
  const callback = { body, headers: {}, url: '/', params: { provider_id: account.id } }
  const claim = mailgunReceiver.endpoints[0]!.open(undefined as never, callback)
  const parse = jest.spyOn(JSON, 'parse')
  expect(() => claim.receive([account])).toThrow(expect.objectContaining({ code: 'invalid_signature' }))
  expect(parse.mock.calls).toEqual([[String(body), undefined]])
  parse.mockRestore()
})
