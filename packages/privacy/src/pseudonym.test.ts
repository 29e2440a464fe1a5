import { randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { createPseudonym } from './pseudonym.ts'

const key = randomBytes(32)
const nameOf = createPseudonym(key)

test('a subject of a tenant has one name, in every process that holds the key', () => {
  expect(createPseudonym(key)('ten_1', 'ada')).toBe(nameOf('ten_1', 'ada'))
})

test.each<[string, string]>([
  ['another subject', nameOf('ten_1', 'eve')],
  ['another spelling', nameOf('ten_1', 'Ada')],
  ['another tenant', nameOf('ten_2', 'ada')],
  ['another key', createPseudonym(randomBytes(32))('ten_1', 'ada')],
])('%s has another name', (_what, other) => {
  expect(other).not.toBe(nameOf('ten_1', 'ada'))
})

test.each(['ada@example.com', 'a\0b', '', 'x'.repeat(10_000)])(
  'the name of %j is 128 bits and does not show it',
  (subject) => {
    expect(nameOf('ten_1', subject)).toMatch(/^[\w-]{22}$/)
  },
)
