import { randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { limitKeyOf } from './limit-key.ts'

test('the counted caller is not readable in the key, and no other shares the key', () => {
  const masterKey = randomBytes(32)
  const keyOf = limitKeyOf(masterKey)
  const key = keyOf('tenant ten_1')
  expect(key).toMatch(/^limit:[\w-]{22}$/)
  expect(keyOf('tenant ten_2')).not.toBe(key)
  // Other replicas count under the same key, which requires the secret.
  expect(limitKeyOf(masterKey)('tenant ten_1')).toBe(key)
  expect(limitKeyOf(randomBytes(32))('tenant ten_1')).not.toBe(key)
})
