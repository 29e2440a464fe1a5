import { expect, test } from '@jest/globals'
import { addressOf, isAddress, mayBecomeAddress, recipientOf } from './recipients.ts'

const number = '+15551230001'

test.each([
  ['+1 (555) 123-0001'],
  ['+1.555.123.0001'],
  ['+1555/1230001'],
  ['tel: +15551230001'],
  // As lists of contacts copy it: with marks of direction and hyphens that do not break.
  ['\u202A+1 555\u2011123\u20110001\u202C'],
  ['+1\u00A0555\u202F123\u00A00001'],
])('the number %j is found without what groups its digits', (text) => {
  expect([isAddress(text), addressOf(text), recipientOf(text)]).toEqual([true, number, number])
})

test('an email address keeps its hyphens and loses invisible marks', () => {
  const text = '\u200Eada-l@shop-one.example\u200E'
  expect([isAddress(text), recipientOf(text)]).toEqual([true, 'ada-l@shop-one.example'])
})

test('digits without + stay as they are in a search that also finds user ids', () => {
  expect(recipientOf('2026-01-15-0001')).toBe('2026-01-15-0001')
})

test('a number without + may be grouped by a slash', () => {
  expect([isAddress('0171/1234567'), addressOf('0171/1234567')]).toEqual([true, '01711234567'])
})

test.each([
  ['\u202A+1 555', true],
  ['0171/12', true],
  ['tel:+14', true],
  ['555\u2011123', true],
  ['ada@', true],
  ['ada', false],
  ['req_1', false],
])('whether %j may become an address: %p', (text, may) => expect(mayBecomeAddress(text)).toBe(may))
