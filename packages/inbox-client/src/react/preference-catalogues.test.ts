import { expect, test } from '@jest/globals'
import { catalogues } from './catalogues.ts'
import { preferenceCatalogues, preferenceLanguageOf } from './preference-catalogues.ts'

const languages = Object.keys(catalogues)

test('the preferences have words in the languages of the inbox', () => {
  expect(Object.keys(preferenceCatalogues)).toEqual(languages)
})

test.each(languages)('%s: no word is missing or empty', (language) => {
  const { channels, frequencies, ...words } = preferenceCatalogues[language]!
  const { channels: known, frequencies: often, ...english } = preferenceCatalogues.en!
  expect([words, channels, frequencies].map(Object.keys)).toEqual([english, known, often].map(Object.keys))
  expect(
    [words, channels, frequencies]
      .flatMap((all) => Object.values<string>(all))
      .filter((word) => String(word).trim() === ''),
  ).toEqual([])
})

test.each(languages.slice(1))('%s: every word is translated', (language) => {
  const { channels: _, frequencies, ...words } = preferenceCatalogues[language]!
  const { channels: __, frequencies: often, ...english } = preferenceCatalogues.en!
  const known: Record<string, string> = { ...english, ...often }
  for (const [name, word] of Object.entries({ ...words, ...frequencies }))
    expect([name, word]).not.toEqual([name, known[name]])
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
