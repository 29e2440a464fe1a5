import { expect, test } from '@jest/globals'
import { z } from 'zod'
import type { CarrierKind } from './carrier-kind.ts'
import { kinds, longestTextOf } from './kinds.ts'
import { receivers } from './receiving.ts'

test('a text must fit every carrier of its channel; without a limit it may have any length', () => {
  expect(longestTextOf('sms')).toBe(1600)
  const stricter = { ...kinds, courier: { ...kinds.twilio, longestText: 160 } }
  expect(longestTextOf('sms', stricter)).toBe(160)
  expect(longestTextOf('email')).toBe(Number.POSITIVE_INFINITY)
})

test.each(Object.entries<CarrierKind>(kinds))(
  'the account by which callbacks of %s are found or verified is in the field that cannot be changed',
  (kind, { credentials, fixedAccount }) => {
    const { properties = {} } = z.toJSONSchema(credentials, { io: 'input', unrepresentable: 'any' })
    const named = Object.fromEntries(Object.keys(properties).map((field) => [field, field]))
    expect(receivers[kind]?.keep.parse(named).accountId).toBe(fixedAccount)
  },
)
