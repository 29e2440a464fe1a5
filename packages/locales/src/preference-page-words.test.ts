import { expect, test } from '@jest/globals'
import { preferencePageWords } from './preference-page-words.ts'

const { en, ...others } = preferencePageWords
const values = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([one]) => one).sort()

test.each(Object.keys(others))('%s has every text of the page, with the same values in it', (locale) => {
  const { channels, ...words } = others[locale]!
  for (const [name, text] of Object.entries(words)) {
    const original = en![name as 'title']
    expect([name, values(text)]).toEqual([name, values(original)])
    expect(text.trim()).not.toBe('')
    expect([name, text]).not.toEqual([name, original])
  }
  expect(Object.values(channels).every((text) => text.trim() !== '')).toBe(true)
})

test('there are ten languages', () => {
  expect(Object.keys(preferencePageWords)).toHaveLength(10)
})
