import { expect, test } from '@jest/globals'
import { nameOfChannel } from './channels/channel-names.ts'
import { frequencyWords } from './frequency-words.ts'
import { preferencePageWords } from './preference-page-words.ts'

const { en, ...others } = preferencePageWords
const values = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([one]) => one).sort()

test.each(Object.keys(others))('%s has every text of the page, with the same values in it', (locale) => {
  for (const [name, text] of Object.entries(others[locale]!)) {
    const original = en![name as 'title']
    expect([name, values(text)]).toEqual([name, values(original)])
    expect(text.trim()).not.toBe('')
    expect([name, text]).not.toEqual([name, original])
  }
})

test.each(Object.keys(preferencePageWords))('%s names the channels, and leaves a new one its own name', (locale) => {
  expect(nameOfChannel(locale, 'in_app')).not.toBe('in_app')
  expect(nameOfChannel(locale, 'push')).toBe('push')
})

test.each(Object.keys(others))('%s has every word of how often', (locale) => {
  for (const [name, text] of Object.entries(frequencyWords.en!)) {
    const translated = frequencyWords[locale]![name as 'howOften']
    expect([name, translated.trim()]).not.toEqual([name, ''])
    expect([name, translated]).not.toEqual([name, text])
  }
})

test('the page has the languages of our other texts, and two more', () => {
  const languages = ['en', 'de', 'fr', 'es', 'pt', 'pl', 'ar', 'hi', 'zh', 'ja', 'it', 'nl']
  expect(Object.keys(preferencePageWords).sort()).toEqual(languages.sort())
  expect(Object.keys(frequencyWords)).toEqual(Object.keys(preferencePageWords))
})

test.each(Object.keys(others))('%s names a channel in its own words', (locale) => {
  expect(nameOfChannel(locale, 'in_app')).not.toBe(nameOfChannel('en', 'in_app'))
})
