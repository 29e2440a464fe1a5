import { expect, test } from '@jest/globals'
import { weightOf } from './weight.ts'

test.each([
  [0, 1],
  [1, 1],
  [32 * 1024, 1],
  [32 * 1024 + 1, 2],
  [235_000, 8],
  [256 * 1024, 8],
  [Number.NaN, 1],
])('a body of %d bytes counts as %d requests', (bytes, weight) => {
  expect(weightOf(bytes)).toBe(weight)
})
