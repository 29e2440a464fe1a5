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

test.each([
  ['Ada@Example.COM', 'ada@example.com'],
  ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
  ['jose\u0301@example.com', 'jos\u00e9@example.com'],
])('%s and %s are one mailbox', (one, other) => {
  expect(index('ten_1', one)).toBe(index('ten_1', other))
})

test.each([
  ['ada@example.com', 'ada+tag@example.com'],
  ['ada@example.com', 'ada@example.org'],
  ['https://example.com/Hook@A', 'https://example.com/hook@a'],
  ['User-1', 'user-1'],
])('%s and %s are two recipients', (one, other) => {
  expect(index('ten_1', one)).not.toBe(index('ten_1', other))
})
