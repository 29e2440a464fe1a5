import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { type LoopDelay, watchLoopDelay } from './loop-delay.ts'

let watched: LoopDelay
beforeEach(() => {
  watched = watchLoopDelay()
})
afterEach(() => watched.stop())

function work(ms: number): void {
  const untilMs = performance.now() + ms
  while (performance.now() < untilMs) JSON.stringify(process.versions)
}

test('one long task of an idle process is seen, though no timer was due meanwhile', async () => {
  await delay(50)
  work(200)
  await delay(900)
  expect(watched.histogram.max / 1e6).toBeGreaterThan(190)
})

test('an idle process looks once a second, a busy one many times', async () => {
  // The process of the tests may be busy with what the file before has left: it is idle in the end.
  let looks = Number.POSITIVE_INFINITY
  while (looks >= 5) {
    const { count } = watched.histogram
    await delay(1600)
    looks = watched.histogram.count - count
  }
  const before = watched.histogram.count
  const untilMs = performance.now() + 2000
  while (performance.now() < untilMs) {
    work(10)
    await delay(5)
  }
  expect(watched.histogram.count - before).toBeGreaterThan(15)
})
