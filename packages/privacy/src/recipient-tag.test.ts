import { expect, test } from '@jest/globals'
import { createBlindIndex } from './blind-index.ts'
import { maskEmail } from './mask.ts'
import { recipientTag } from './recipient-tag.ts'

const index = createBlindIndex(Buffer.alloc(32, 7))

test('ten addresses of one domain with the same mask have different tags, the same in every list', () => {
  const addresses = ['ada', 'alan', 'alma', 'amir', 'ana', 'andy', 'anna', 'anton', 'arif', 'axel'].map(
    (name) => `${name}@example.com`,
  )
  expect(new Set(addresses.map(maskEmail)).size).toBe(1)
  const tags = addresses.map((address) => recipientTag(index('ten_a', address)))
  expect(new Set(tags).size).toBe(10)
  expect(tags).toEqual(addresses.map((address) => recipientTag(index('ten_a', address.toUpperCase()))))
})

test('a recipient has another tag at another tenant, and so the tag is no index of addresses', () => {
  const tags = Array.from({ length: 100 }, (_, n) => recipientTag(index(`ten_${n}`, 'ada@example.com')))
  expect(new Set(tags).size).toBeGreaterThan(95)
  for (const tag of tags) expect(tag).toMatch(/^[0-9a-hjkmnp-tv-z]{4}$/)
})

test('a recipient that was erased has no tag', () => {
  for (const erased of ['erased', 'erased optin_01jd3x8qk5w9t2m4v6b8n0p2r4']) expect(recipientTag(erased)).toBeNull()
})
