import { expect, test } from '@jest/globals'
import { kinds, longestTextOf } from './kinds.ts'

test('a text must fit every carrier of its channel; without a limit it may have any length', () => {
  expect(longestTextOf('sms')).toBe(1600)
  const stricter = { ...kinds, courier: { ...kinds.twilio, longestText: 160 } }
  expect(longestTextOf('sms', stricter)).toBe(160)
  expect(longestTextOf('email')).toBe(Number.POSITIVE_INFINITY)
})
