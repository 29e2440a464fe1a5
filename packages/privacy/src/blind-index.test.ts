import { randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import {
  createBlindIndex,
  createIndexRenewal,
  type IndexKeys,
  keysFingerprint,
  lacksKeys,
  parseIndexKeys,
} from './blind-index.ts'
import { recipientTag } from './recipient-tag.ts'

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
  ['Sales/DE@shop.example', 'sales/de@shop.example'],
  ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
  ['jose\u0301@example.com', 'jos\u00e9@example.com'],
  ['https://Hooks.Example', 'https://hooks.example:443/'],
  ['https://hooks.example/a?b=C', 'https://HOOKS.example/x/../a?b=C'],
  ['https://hooks.example/a', 'HTTPS://hooks.example/a'],
])('%s and %s are one recipient', (one, other) => {
  expect(index('ten_1', one)).toBe(index('ten_1', other))
})

test.each([
  ['ada@example.com', 'ada+tag@example.com'],
  ['ada@example.com', 'ada@example.org'],
  ['https://example.com/Hook@A', 'https://example.com/hook@a'],
  ['User-1', 'user-1'],
  ['17@010', '17@8'],
  ['https://app.example/#/users/42', 'https://app.example/#/users/43'],
])('%s and %s are two recipients', (one, other) => {
  expect(index('ten_1', one)).not.toBe(index('ten_1', other))
})

const [second, third] = [randomBytes(32), randomBytes(32)]
const lists: IndexKeys[] = [[key], [key, second], [key, second, third]]
const indexesOf = (recipient: string) => lists.map((keys) => createBlindIndex(keys)('ten_1', recipient))

test('one key in a list gives the same index as the key alone', () => {
  expect(createBlindIndex([key])('ten_1', phone)).toBe(index('ten_1', phone))
})

test('an index under more keys is made of the one under fewer, without the recipient', () => {
  const [one, two, three] = indexesOf(phone)
  const renewed = (keys: IndexKeys, old: string) => createIndexRenewal(keys)('ten_1', old)
  expect([renewed(lists[1]!, one!), renewed(lists[2]!, one!), renewed(lists[2]!, two!)]).toEqual([two, three, three])
  expect(new Set([one, two, three].map((each) => recipientTag(each!))).size).toBe(3)
  for (const each of [one, two, three]) expect(each).toMatch(/^[A-Za-z0-9_-]{22}$/)
})

test('each index shows how many keys it was made with, so that no key is applied to it twice', () => {
  for (let n = 0; n < 200; n++) {
    const indexes = indexesOf(`+1555123${n}`)
    for (const [made, one] of indexes.entries())
      expect(lists.map((keys) => lacksKeys(one, keys))).toEqual([0, 1, 2].map((at) => at > made))
    expect(createIndexRenewal(lists[2]!)('ten_1', indexes[2]!)).toBe(indexes[2])
    expect(createIndexRenewal(lists[0]!)('ten_1', indexes[1]!)).toBe(indexes[1])
  }
})

test('a text that is no index is not renewed', () => {
  for (const text of ['', 'erased', 'erased optin_01jd3x8qk5w9t2m4v6b8n0p2r4', '+15551230001', `${'A'.repeat(21)}=`])
    expect(createIndexRenewal(lists[1]!)('ten_1', text)).toBe(text)
})

test('lists of keys have equal fingerprints only when they are equal', () => {
  const all: IndexKeys[] = [...lists, [second, key], [second], [key, third]]
  expect(new Set(all.map(keysFingerprint)).size).toBe(all.length)
  expect(keysFingerprint([Buffer.from(key), Buffer.from(second)])).toBe(keysFingerprint(lists[1]!))
})

const texts = lists[2]!.map((each) => each.toString('base64'))

test('a list of keys is written with commas', () => {
  expect(parseIndexKeys(texts.join(','))).toEqual(lists[2])
  expect(parseIndexKeys(` ${texts[0]} , ${texts[1]} `)).toEqual(lists[1])
})

test.each([
  ['', 'must be the base64 of 32 bytes'],
  [`${texts[0]},`, 'must be the base64 of 32 bytes'],
  [`${texts[0]},${texts[0]}`, 'must not repeat a key'],
  [Array.from({ length: 17 }, () => randomBytes(32).toString('base64')).join(','), 'must be at most 16 keys'],
])('a list of keys that is not one is refused without showing it: %#', (text, message) => {
  expect(() => parseIndexKeys(text)).toThrow(message)
})
