import { expect, test } from '@jest/globals'
import { mostSlowdown, nextSlowdown } from './bulk-brake.ts'

const after = (start: number, delaysMs: number[]) => delaysMs.reduce(nextSlowdown, start)

test('late timers slow bulk sends within half a second, but never stop them', () => {
  expect(after(1, [40, 40, 40, 40, 40])).toBeGreaterThan(5)
  expect(after(1, Array(100).fill(1000))).toBe(mostSlowdown)
})

test('timers in time leave the pace as configured, and release the brake slowly', () => {
  expect(after(1, [0, 5, 14])).toBe(1)
  expect(after(8, [0])).toBeGreaterThan(7)
  expect(after(mostSlowdown, Array(60).fill(0))).toBe(1)
})
