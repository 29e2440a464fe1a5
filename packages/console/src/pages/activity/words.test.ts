import { expect, test } from '@jest/globals'
import { languageOf, mayChange, type Status } from './words.ts'

test.each([
  ['de', 'de', 'German (de)'],
  ['de', 'de-AT', 'German (de), requested: Austrian German (de-AT)'],
  [null, 'de', 'Not known, requested: German (de)'],
  ['en', null, 'English (en)'],
  ['x-own', 'x-own', 'x-own'],
])('a text in %s for a request with %s is shown as %s', (locale, requested_locale, shown) => {
  expect(languageOf({ locale, requested_locale })).toBe(shown)
})

const code = { expires_at: '', verified_at: null, attempts_remaining: 3, resends_remaining: 1 }
test.each<[Status, boolean, boolean]>([
  ['sent', true, true],
  ['delivered', false, true],
  ['undelivered', false, true],
  ['verified', false, false],
  ['expired', false, false],
  ['failed', false, false],
])('an item that is %s may change by itself: %p, and a code: %p', (status, item, ofCode) => {
  expect([mayChange({ status, otp: null }), mayChange({ status, otp: code })]).toEqual([item, ofCode])
})
