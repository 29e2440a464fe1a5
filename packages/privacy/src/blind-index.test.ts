import { randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { createBlindIndex } from './blind-index.ts'

const key = randomBytes(32)
const index = createBlindIndex(key)
const phone = '+15551230001'

test('a recipient of a tenant has one index, in every process that holds the key', () => {
  expect(index('ten_1', phone)).toBe(index('ten_1', phone))
  expect(createBlindIndex(key)('ten_1', phone)).toBe(index('ten_1', phone))
})

test('tenants cannot compare their recipients', () => {
  expect(index('ten_1', phone)).not.toBe(index('ten_2', phone))
})

test('recipients differ, and so do keys', () => {
  expect(index('ten_1', phone)).not.toBe(index('ten_1', '+15551230002'))
  expect(index('ten_1', phone)).not.toBe(createBlindIndex(randomBytes(32))('ten_1', phone))
})

test('tenant and recipient cannot be shifted into each other', () => {
  expect(index('ten_1', `2${phone}`)).not.toBe(index('ten_12', phone))
})

test('it is 128 bits that fit into a URL, and does not show the recipient', () => {
  expect(index('ten_1', phone)).toMatch(/^[A-Za-z0-9_-]{22}$/)
})

test('it stays the same when more tenants were seen than are remembered', () => {
  const before = index('ten_first', phone)
  for (let i = 0; i < 10_001; i++) index(`ten_${i}`, phone)
  expect(index('ten_first', phone)).toBe(before)
})
