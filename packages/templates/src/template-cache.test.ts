import { expect, test } from '@jest/globals'
import { createTemplateCache } from './template-cache.ts'

test('a cached entry is found until newer ones evict it', () => {
  const cache = createTemplateCache<number>({ maxEntries: 2, maxBytes: 1000 })
  cache.set('a', 1, 10)
  cache.set('b', 2, 10)
  cache.set('c', 3, 10)
  expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual([undefined, 2, 3])
})

test('the least recently used entry is evicted, used ones stay', () => {
  const cache = createTemplateCache<number>({ maxEntries: 2, maxBytes: 1000 })
  cache.set('a', 1, 10)
  cache.set('b', 2, 10)
  cache.get('a')
  cache.set('c', 3, 10)
  expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual([1, undefined, 3])
})

test('all together never hold more bytes than the bound, however many there may be', () => {
  const cache = createTemplateCache<number>({ maxEntries: 1000, maxBytes: 100 })
  for (let size = 1; size <= 100; size++) {
    cache.set(`t${size}`, size, size)
    const held = Array.from({ length: 100 }, (_, at) => cache.get(`t${at + 1}`) ?? 0).reduce(
      (sum, bytes) => sum + bytes,
      0,
    )
    expect(held).toBeLessThanOrEqual(100)
    expect(cache.get(`t${size}`)).toBe(size)
  }
})

test('an entry larger than the bound is not cached, and evicts nothing', () => {
  const cache = createTemplateCache<number>({ maxEntries: 10, maxBytes: 100 })
  cache.set('small', 1, 60)
  cache.set('large', 2, 101)
  expect([cache.get('small'), cache.get('large')]).toEqual([1, undefined])
})

test('a template kept again counts once', () => {
  const cache = createTemplateCache<number>({ maxEntries: 10, maxBytes: 100 })
  for (let time = 0; time < 50; time++) cache.set('a', time, 60)
  cache.set('b', 1, 40)
  expect([cache.get('a'), cache.get('b')]).toEqual([49, 1])
})
