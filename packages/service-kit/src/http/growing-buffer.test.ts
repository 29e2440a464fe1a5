import { expect, test } from '@jest/globals'
import { createBodyBudget } from './body-budget.ts'
import { GrowingBuffer } from './growing-buffer.ts'

test('bytes that come one by one take at most twice their size, in one place', () => {
  const taken: number[] = []
  const share = { take: (bytes: number) => taken.push(bytes) > 0, release: () => {} }
  const buffer = new GrowingBuffer(512 * 1024, share)
  let refused = 0
  for (let at = 0; at < 100_000; at++) if (!buffer.add(Buffer.from([at % 256]))) refused++
  expect(refused).toBe(0)
  const bytes = buffer.bytes()
  expect(bytes.equals(Buffer.from(Array.from({ length: 100_000 }, (_, at) => at % 256)))).toBe(true)
  expect(bytes.buffer.byteLength).toBeLessThanOrEqual(200_000)
  expect(taken.reduce((sum, each) => sum + each)).toBe(bytes.buffer.byteLength)
})

test('it never takes more than is expected, and stops where its share ends', () => {
  const share = createBodyBudget(12_000)('a', () => '')
  const buffer = new GrowingBuffer(6000, share)
  expect([buffer.add(Buffer.alloc(3000)), buffer.add(Buffer.alloc(3000))]).toEqual([true, true])
  expect(buffer.bytes().buffer.byteLength).toBe(6000)
  expect(new GrowingBuffer(8000, share).add(Buffer.alloc(5000))).toBe(false)
})

test('a complete value is kept unchanged', () => {
  const whole = Buffer.from('whole')
  const buffer = new GrowingBuffer(5, undefined)
  buffer.add(whole)
  expect(buffer.bytes().buffer).toBe(whole.buffer)
})
