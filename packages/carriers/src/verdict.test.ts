import { expect, test } from '@jest/globals'
import { accepted, isNeverLeft, permanent, refusal } from './verdict.ts'

test("a carrier's text becomes one line of bounded length that Postgres can store", () => {
  const text = `no\0pe\r\n${'x'.repeat(492)}\u{1f600} and more`
  const kept = `no pe ${'x'.repeat(492)}\ufffd`
  expect(refusal(`c\0${'1'.repeat(200)}`, permanent(), text)).toMatchObject({
    code: `c ${'1'.repeat(98)}`,
    message: kept,
  })
  expect(accepted('SM\0\ud800').providerMessageId).toBe('SM \ufffd')
})

test('without a text the message is null', () => {
  expect(refusal('no_answer', permanent(), null).message).toBeNull()
  expect(accepted(null).providerMessageId).toBeNull()
})

test.each<[string, boolean]>([
  ['ECONNREFUSED', true],
  ['ENOTFOUND', true],
  ['CERT_HAS_EXPIRED', true],
  ['ERR_TLS_CERT_ALTNAME_INVALID', true],
  ['ECONNRESET', false],
  ['ETIMEDOUT', false],
  // A response that cannot be decrypted.
  ['ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC', false],
  ['EPROTO', false],
])('%s means that nothing was sent: %s', (code, neverLeft) => {
  expect(isNeverLeft(code)).toBe(neverLeft)
})
