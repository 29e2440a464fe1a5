import { expect, test } from '@jest/globals'
import { checkFailed, forPeople } from './account-check.ts'

const shown = (sentence: string, ...secrets: string[]) => forPeople(checkFailed('190', sentence), secrets).message

test('a secret of digits, or at the end of what is kept, is not shown in part', () => {
  const token = 'EAAG0123456789ZD'
  expect(shown(`Malformed access token ${token}`, token)).toBe('Malformed access token [secret]')
  const long = shown(`${'x'.repeat(490)} ${token}`, token)
  expect([long.length, long.includes('EAAG')]).toEqual([499, false])
})

test('a short secret leaves the words of the carrier as they are', () => {
  expect(shown('The mail server refused the login', 'e')).toBe('The mail server refused the login')
})
