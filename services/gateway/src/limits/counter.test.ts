import { expect, test } from '@jest/globals'
import { Redis } from 'ioredis'
import { createCounter } from './counter.ts'

test('a new window is never reported as longer than a second', () => {
  let nowMs = 0
  const unconnected = new Redis({ lazyConnect: true, enableOfflineQueue: false })
  const count = createCounter(
    unconnected,
    (id) => id,
    () => nowMs,
  )
  // The end of the window has one binary digit more before its point, and one less after it.
  const lengths = Array.from({ length: 100 }, (_, id) => {
    nowMs = 8191 + id / 128.1
    return count(String(id), 1).resetMs
  })
  expect(new Set(lengths)).toEqual(new Set([1000]))
})
