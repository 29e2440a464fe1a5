import { expect, test } from '@jest/globals'
import { copyOf, markOf, recipientTag } from './recipient-mark.ts'

const salt = '0123456789abcdef'
const tag = recipientTag(salt, 'Ada@Example.com')

test('a report about the recipient is about no copy, however the carrier writes the address', () => {
  for (const mailbox of [
    'ada@example.COM',
    'Ada Lovelace <ada@example.com>',
    '"<Ada>" <ada@example.com> ',
    '<ada@example.com>',
  ])
    expect(copyOf(tag, mailbox)).toBeUndefined()
})

test('a report about another recipient names that copy, and nobody can read whose it is', () => {
  const mark = copyOf(tag, 'grace@example.com')
  expect(mark).toBe(markOf(salt, 'Grace@example.com'))
  expect(copyOf(tag, 'Grace Hopper <grace@example.com>')).toBe(mark)
  expect(`${tag} ${mark}`).not.toMatch(/grace|ada/i)
  expect(markOf('fedcba9876543210', 'grace@example.com')).not.toBe(mark)
})

test.each([undefined, 7, '', 'x', `${tag}0`, `${salt}-`])('the tag %j says nothing', (given) => {
  expect(copyOf(given, 'grace@example.com')).toBeUndefined()
})

test('a report that names nobody is about the message', () => {
  expect([copyOf(tag, undefined), copyOf(tag, '')]).toEqual([undefined, undefined])
})
