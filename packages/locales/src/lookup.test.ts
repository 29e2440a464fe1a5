import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { lookUp, lookupChain } from './lookup.ts'

test('the example of RFC 4647, 3.4: subtags are removed from the end, together with their singleton', () => {
  expect(lookupChain('zh-Hant-CN-x-private1-private2')).toEqual([
    'zh-Hant-CN-x-private1-private2',
    'zh-Hant-CN-x-private1',
    'zh-Hant-CN',
    'zh-Hant',
    'zh',
  ])
})

test('the example of RFC 4647, 3.4.1: each locale of a priority list is tried whole before the next', () => {
  expect(lookUp(['fr-FR', 'zh-Hant'], () => true)).toEqual(['fr-FR', 'fr', 'zh-Hant', 'zh'])
})

test.each([
  ['de-DE-1996', ['de-DE-1996', 'de-DE', 'de']],
  ['de-u-co-phonebk', ['de-u-co-phonebk', 'de-u-co', 'de']],
  ['en-a-bbb-x-a-ccc', ['en-a-bbb-x-a-ccc', 'en-a-bbb', 'en']],
  ['ar', ['ar']],
])('%s is looked up as %j', (locale, chain) => {
  expect(lookupChain(locale)).toEqual(chain)
})

const subtag = fc.stringMatching(/^[a-z0-9]{1,8}$/)
const locale = fc
  .tuple(fc.stringMatching(/^[a-z]{2,3}$/), fc.array(subtag, { maxLength: 6 }))
  .map(([language, rest]) => [language, ...rest].join('-'))

test('each locale of a chain is a proper prefix of the one before, ends in no singleton, and the last is the language', () => {
  fc.assert(
    fc.property(locale, (given) => {
      const chain = lookupChain(given)
      expect(chain[0]).toBe(given)
      expect(chain.at(-1)).toBe(given.split('-')[0])
      for (const [at, one] of chain.entries()) {
        if (at === 0) continue
        expect(chain[at - 1]!.startsWith(`${one}-`)).toBe(true)
        expect(one.split('-').at(-1)!.length).toBeGreaterThan(1)
      }
    }),
  )
})

test('a lookup finds only what is available, each once, and prefers the earlier locale', () => {
  fc.assert(
    fc.property(fc.array(locale, { maxLength: 4 }), fc.array(locale, { maxLength: 8 }), (wanted, available) => {
      const found = lookUp(wanted, (one) => available.includes(one))
      expect(new Set(found).size).toBe(found.length)
      const ranks = found.map((one) => wanted.findIndex((first) => lookupChain(first).includes(one)))
      expect(ranks).toEqual([...ranks].sort((a, b) => a - b))
      for (const one of found) expect(available).toContain(one)
    }),
  )
})
