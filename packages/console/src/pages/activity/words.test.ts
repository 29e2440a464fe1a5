import { expect, test } from '@jest/globals'
import { languageOf } from './words.ts'

test.each([
  ['de', 'de', 'German (de)'],
  ['de', 'de-AT', 'German (de), requested: Austrian German (de-AT)'],
  [null, 'de', 'Not known, requested: German (de)'],
  ['en', null, 'English (en)'],
  ['x-own', 'x-own', 'x-own'],
])('a text in %s for a request with %s is shown as %s', (locale, requested_locale, shown) => {
  expect(languageOf({ locale, requested_locale })).toBe(shown)
})
