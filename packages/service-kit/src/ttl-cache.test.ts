import { expect, test } from '@jest/globals'
import { createTtlCache } from './ttl-cache.ts'

const hour = 3_600_000

test('a value is loaded once for its time', async () => {
  const loaded: string[] = []
  const cache = createTtlCache({
    ttlMs: hour,
    maxEntries: 10,
    load: async (key) => {
      loaded.push(key)
      return key.toUpperCase()
    },
  })
  expect([await cache.get('a'), await cache.get('a'), await cache.get('b')]).toEqual(['A', 'A', 'B'])
  expect(loaded).toEqual(['a', 'b'])
})

test('a cached value is available at once, an unknown one is not', async () => {
  const cache = createTtlCache({
    ttlMs: hour,
    maxEntries: 10,
    load: async (key) => key.length,
    keep: (length) => length > 1,
  })
  expect(cache.peek('long')).toBeUndefined()
  const loading = cache.get('long')
  expect(cache.peek('long')).toBeUndefined()
  await loading
  await cache.get('s')
  expect([cache.peek('long'), cache.peek('s'), cache.peek('other')]).toEqual([4, undefined, undefined])
  cache.clear()
  expect(cache.peek('long')).toBeUndefined()
})

test('callers of the same moment share one load', async () => {
  let loads = 0
  const { promise, resolve } = Promise.withResolvers<number>()
  const cache = createTtlCache({
    ttlMs: hour,
    maxEntries: 10,
    load: () => {
      loads++
      return promise
    },
  })
  const answers = [cache.get('a'), cache.get('a'), cache.get('a')]
  resolve(7)
  expect(await Promise.all(answers)).toEqual([7, 7, 7])
  expect(loads).toBe(1)
})

test('after its time a value is loaded again', async () => {
  let loads = 0
  const cache = createTtlCache({ ttlMs: 5, maxEntries: 10, load: async () => ++loads })
  expect(await cache.get('a')).toBe(1)
  while ((await cache.get('a')) === 1) await new Promise(setImmediate)
  expect(loads).toBe(2)
})

test('after clear a value is loaded again', async () => {
  let loads = 0
  const cache = createTtlCache({ ttlMs: hour, maxEntries: 10, load: async () => ++loads })
  await cache.get('a')
  cache.clear()
  expect(await cache.get('a')).toBe(2)
})

test('a load that failed is not remembered', async () => {
  let loads = 0
  const cache = createTtlCache({
    ttlMs: hour,
    maxEntries: 10,
    load: async () => {
      if (++loads === 1) throw new Error('down')
      return loads
    },
  })
  await expect(cache.get('a')).rejects.toThrow('down')
  expect(await cache.get('a')).toBe(2)
})

test('a value that is not to be kept is loaded again, and still shared by callers of the same moment', async () => {
  let loads = 0
  const cache = createTtlCache({ ttlMs: hour, maxEntries: 10, load: async () => ++loads > 1, keep: (value) => value })
  expect(await Promise.all([cache.get('a'), cache.get('a')])).toEqual([false, false])
  expect([await cache.get('a'), await cache.get('a')]).toEqual([true, true])
  expect(loads).toBe(2)
})

test('an old load that fails late does not throw away the newer value', async () => {
  const old = Promise.withResolvers<number>()
  const loads = [old.promise, Promise.resolve(2), Promise.resolve(3)]
  const cache = createTtlCache({ ttlMs: hour, maxEntries: 10, load: () => loads.shift()! })
  const first = cache.get('a')
  cache.clear()
  expect(await cache.get('a')).toBe(2)
  old.reject(new Error('down'))
  await expect(first).rejects.toThrow('down')
  expect(await cache.get('a')).toBe(2)
})

test('it never holds more than its most entries', async () => {
  const loaded: string[] = []
  const cache = createTtlCache({
    ttlMs: hour,
    maxEntries: 2,
    load: async (key) => loaded.push(key),
  })
  for (const key of ['a', 'b', 'c']) await cache.get(key)
  await cache.get('a')
  expect(loaded).toEqual(['a', 'b', 'c', 'a'])
})

test('a full cache keeps what is in use and drops what was not asked for longest', async () => {
  const loaded: string[] = []
  const cache = createTtlCache({ ttlMs: hour, maxEntries: 2, load: async (key) => loaded.push(key) })
  for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await cache.get(key)
  expect(loaded).toEqual(['a', 'b', 'c', 'b'])
})

test('a cache that may become large takes no memory while it is empty', () => {
  const before = process.memoryUsage().rss
  const cache = createTtlCache({ ttlMs: 1000, maxEntries: 20_000_000, load: async (key) => key })
  expect(process.memoryUsage().rss - before).toBeLessThan(50 * 1024 * 1024)
  expect(cache.peek('a')).toBeUndefined()
})
