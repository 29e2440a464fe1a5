import { expect, test } from '@jest/globals'
import { directionOf, isSameLanguage } from './language.ts'

test.each([
  ['ar', 'rtl'],
  ['he-IL', 'rtl'],
  ['az-Arab', 'rtl'],
  ['az', 'ltr'],
  ['pa-PK', 'rtl'],
  ['ar-Latn', 'ltr'],
  ['zh-Hant', 'ltr'],
] as const)('%s is written %s', (locale, direction) => {
  expect(directionOf(locale)).toBe(direction)
})

test('the direction of every language of two letters is that of Node', () => {
  type Told = Intl.Locale & { getTextInfo(): { direction: string } }
  const letters = [...'abcdefghijklmnopqrstuvwxyz']
  const languages = letters.flatMap((a) => letters.map((b) => a + b))
  const wrong = languages.filter((one) => directionOf(one) !== (new Intl.Locale(one) as Told).getTextInfo().direction)
  expect(wrong).toEqual([])
})

test.each([
  ['de-AT', 'de', true],
  ['zh-TW', 'zh-Hant', true],
  ['zh-TW', 'zh', false],
  ['sr-Latn', 'sr', false],
  ['en', 'de', false],
])('%s and %s are the same language: %s', (one, other, isSame) => {
  expect(isSameLanguage(one, other)).toBe(isSame)
})
