import { randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { parsedBy, parseKey } from './secret-config.ts'

test('a key is the base64 of 32 bytes', () => {
  const key = randomBytes(32)
  expect(parseKey(key.toString('base64'))).toEqual(key)
})

test.each([
  ['too short', randomBytes(31).toString('base64')],
  ['too long', randomBytes(33).toString('base64')],
  ['not base64 at all', '!'.repeat(44)],
  ['hexadecimal', randomBytes(32).toString('hex')],
  ['followed by something else', `${randomBytes(32).toString('base64')} # the key`],
  ['empty', ''],
])('a key that is %s is refused, and the message does not show it', (_what, text) => {
  let message = ''
  try {
    parseKey(text)
  } catch (error) {
    message = (error as Error).message
  }
  expect(message).toBe('must be the base64 of 32 bytes')
})

test("a parser's exception becomes a fault of the variable", () => {
  const faults: string[] = []
  const read = parsedBy(parseKey)
  const issues = { addIssue: ({ message }: { message: string }) => void faults.push(message) }
  expect(read(randomBytes(32).toString('base64'), issues)).toHaveLength(32)
  expect(faults).toEqual([])
  read('nonsense', issues)
  expect(faults).toEqual(['must be the base64 of 32 bytes'])
})
