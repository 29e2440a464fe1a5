import { expect, test } from '@jest/globals'
import { catalogues } from './catalogues.ts'
import { preferenceCatalogues, preferenceLanguageOf } from './preference-catalogues.ts'

const languages = Object.keys(catalogues)

test('the preferences have words in the languages of the inbox', () => {
  expect(Object.keys(preferenceCatalogues)).toEqual(languages)
})

test.each(languages)('%s: no word is missing or empty', (language) => {
  const { channels, ...words } = preferenceCatalogues[language]!
  const { channels: known, ...english } = preferenceCatalogues.en!
  expect([Object.keys(words), Object.keys(channels)]).toEqual([Object.keys(english), Object.keys(known)])
  expect([...Object.values(words), ...Object.values(channels)].filter((word) => String(word).trim() === '')).toEqual([])
})

test.each(languages.slice(1))('%s: every word is translated', (language) => {
  const { channels: _, ...words } = preferenceCatalogues[language]!
  for (const [name, word] of Object.entries(words))
    expect([name, word]).not.toEqual([name, preferenceCatalogues.en![name as 'empty']])
})

test.each([
  ['ar-EG', 'ar', 'rtl'],
  ['he', 'en', 'rtl'],
  ['de-AT', 'de', undefined],
  ['de_DE', 'en', undefined],
  [undefined, 'en', undefined],
])('%s has the words of %s and the direction %s', (locale, language, dir) => {
  const { labels, ...written } = preferenceLanguageOf(locale)
  expect([labels, written.dir]).toEqual([preferenceCatalogues[language], dir])
})
