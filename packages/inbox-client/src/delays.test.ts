import { expect, test } from '@jest/globals'
import { delayOf, pause } from './delays.ts'

const delays = { baseMs: 1000, maxMs: 30_000 }

test.each([
  [0, 1000],
  [1, 2000],
  [4, 16_000],
  [5, 30_000],
  [500, 30_000],
])('before attempt %d the delay is spread evenly from nothing to %d ms', (attempt, bound) => {
  expect(delayOf(attempt, 0, delays, () => 0)).toBe(0)
  expect(delayOf(attempt, 0, delays, () => 0.5)).toBe(bound / 2)
  expect(delayOf(attempt, 0, delays, () => 0.999)).toBeCloseTo(bound * 0.999, 5)
})

test("the server's Retry-After is the least wait, and jitter is added to it", () => {
  expect(delayOf(0, 7000, delays, () => 0)).toBe(7000)
  expect(delayOf(0, 7000, delays, () => 0.5)).toBe(7500)
})

test.each([25 * 86_400_000, Infinity])('a wait of %d ms is cut to an hour, which a timer can keep', (leastMs) => {
  expect(delayOf(0, leastMs, delays, () => 0)).toBe(3_600_000)
})

test('a wait ends when it is aborted', async () => {
  const ending = new AbortController()
  const waiting = pause(3_600_000, ending.signal)
  ending.abort()
  await waiting
  await pause(3_600_000, ending.signal)
})
