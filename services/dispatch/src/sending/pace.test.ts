import { expect, test } from '@jest/globals'
import { createPace } from './pace.ts'

/** How many of these starts are handed out without waiting. */
async function atOnce(starts: Promise<void>[]): Promise<number> {
  const begun = starts.map(() => false)
  starts.forEach((start, index) => void start.then(() => (begun[index] = true)))
  await new Promise(setImmediate)
  return begun.filter(Boolean).length
}

test('a burst begins with one turn of sends, the others wait', async () => {
  const nowMs = 10_000
  const pace = createPace(100, { now: () => nowMs })
  const starts = Array.from({ length: 20 }, () => pace.next())
  expect(await atOnce(starts)).toBe(11)
  await Promise.all(starts)
})

test('under the brake sends begin as much slower', async () => {
  const nowMs = 10_000
  const pace = createPace(100, { now: () => nowMs, slowdown: () => 4 })
  const starts = Array.from({ length: 4 }, () => pace.next())
  expect(await atOnce(starts)).toBe(3)
  await Promise.all(starts)
})

test('sends that come slower than the pace never wait', async () => {
  let nowMs = 10_000
  const pace = createPace(100, { now: () => nowMs })
  for (let i = 0; i < 50; i++) {
    expect(await atOnce([pace.next()])).toBe(1)
    nowMs += 10
  }
})

test('a pause is not made up for: after it one turn begins at once, no more', async () => {
  let nowMs = 10_000
  const pace = createPace(100, { now: () => nowMs })
  await pace.next()
  nowMs += 3_600_000
  const starts = Array.from({ length: 20 }, () => pace.next())
  expect(await atOnce(starts)).toBe(11)
  await Promise.all(starts)
})

test('over a while no more sends begin than the pace allows', async () => {
  const pace = createPace(500)
  const started = performance.now()
  await Promise.all(Array.from({ length: 150 }, () => pace.next()))
  // 150 sends at 500 a second are 300 ms, less the turn that begins at once.
  expect(performance.now() - started).toBeGreaterThanOrEqual(190)
})
