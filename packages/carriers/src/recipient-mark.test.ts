import { expect, test } from '@jest/globals'
import { copyOf, markOf, recipientTag } from './recipient-mark.ts'

const salt = '0123456789abcdef'
const tag = recipientTag(salt, 'Ada@Example.com')

test('a report about the recipient is about no copy, however the carrier writes the address', () => {
  expect(copyOf(tag, 'ada@example.COM')).toBeUndefined()
})

test('a report about another recipient names that copy, and nobody can read whose it is', () => {
  const mark = copyOf(tag, 'grace@example.com')
  expect(mark).toBe(markOf(salt, 'Grace@example.com'))
  expect(`${tag} ${mark}`).not.toMatch(/grace|ada/i)
  expect(markOf('fedcba9876543210', 'grace@example.com')).not.toBe(mark)
})

test.each([undefined, 7, '', 'x', `${tag}0`, `${salt}-`])('the tag %j says nothing', (given) => {
  expect(copyOf(given, 'grace@example.com')).toBeUndefined()
})

test('a report that names nobody is about the message', () => {
  expect([copyOf(tag, undefined), copyOf(tag, '')]).toEqual([undefined, undefined])
})
