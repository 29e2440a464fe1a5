import { expect, test } from '@jest/globals'
import { catalogues, languageOf } from './catalogues.ts'

const languages = ['en', 'de', 'fr', 'es', 'pt', 'pl', 'ar', 'hi', 'zh', 'ja']

test('the inbox has words in each of our languages, and in no other', () => {
  expect(Object.keys(catalogues)).toEqual(languages)
})

test.each(languages)('%s: no word is missing or empty, and each placeholder is filled', (language) => {
  const { bell, arrived, ...words } = catalogues[language]!
  const { bell: _, arrived: __, ...english } = catalogues.en!
  expect(Object.keys(words)).toEqual(Object.keys(english))
  expect(Object.values(words).filter((word) => typeof word !== 'string' || word.trim() === '')).toEqual([])
  expect(bell(0)).toBe(words.title)
  expect(bell(7)).toContain('7')
  expect(arrived('Shipped')).toContain('Shipped')
})

test.each(languages.slice(1))('%s: every word is translated', (language) => {
  const { bell: _, arrived: __, title: ___, ...words } = catalogues[language]!
  for (const [name, word] of Object.entries(words))
    expect([name, word]).not.toEqual([name, catalogues.en![name as 'empty']])
})

test.each([
  ['de-AT', 'de', undefined],
  ['ar-EG', 'ar', 'rtl'],
  ['he', 'en', 'rtl'],
  ['zh-Hant-TW', 'zh', undefined],
  ['tlh', 'en', undefined],
])('%s has the words of %s and the direction %s', (locale, language, dir) => {
  const found = languageOf(locale)
  expect(found.labels).toBe(catalogues[language])
  expect([found.lang, found.dir]).toEqual([locale, dir])
})

test.each([undefined, 'de_DE'])('%s is English, without a language of its own', (locale) => {
  expect(languageOf(locale)).toEqual({ labels: catalogues.en })
})
