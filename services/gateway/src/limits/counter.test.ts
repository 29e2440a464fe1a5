import { expect, test } from '@jest/globals'
import { Redis } from 'ioredis'
import { createCounter } from './counter.ts'

test('a new window is never reported as longer than a second', () => {
  let nowMs = 0
  const ended = new Redis({ lazyConnect: true })
  ended.disconnect()
  const count = createCounter(
    ended,
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
