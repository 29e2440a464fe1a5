import { expect, test } from '@jest/globals'
import { spellingsOf } from './number-spellings.ts'

test.each([
  ['+5531996883193', '+553196883193'],
  ['+5511987654321', '+551187654321'],
  ['+5215512345678', '+525512345678'],
  ['+5491123456789', '+541123456789'],
])('%s and %s are one line', (long, short) => {
  expect(spellingsOf(long)).toEqual([long, short])
  expect(spellingsOf(short)).toEqual([short, long])
})

test.each([
  ['a landline of Brazil', '+551134567890'],
  ['a mobile number of Brazil that never had eight digits', '+5511934567890'],
  ['a number of Brazil that is too long', '+55319968831931'],
  ['a number of Mexico that is too short', '+52155123456'],
  ['a number of Argentina with a local prefix', '+5401123456789'],
  ['a number of another country', '+15551234567'],
])('%s has one spelling', (_what, phone) => {
  expect(spellingsOf(phone)).toEqual([phone])
})
