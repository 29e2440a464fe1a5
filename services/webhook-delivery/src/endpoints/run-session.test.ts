import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import type { TakenDelivery } from '../deliveries/take-deliveries.ts'
import { EarnedWindow } from './earned-window.ts'
import { Session } from './run-session.ts'

beforeEach(() => {
  jest.useFakeTimers()
})
afterEach(() => {
  jest.useRealTimers()
})

const slowMs = 15_000

/** Runs a session with an endless backlog for 20 s. One of its requests, after a second, is slow. @returns when requests began */
async function beginnings({
  outcome = 'succeeded',
  hasSpare = true,
}: {
  outcome?: 'succeeded' | 'failed'
  hasSpare?: boolean
}) {
  const startedMs = performance.now()
  const begun: number[] = []
  let slow: number | undefined
  let isOver = false
  const session = new Session(
    {
      window: new EarnedWindow(4),
      further: { take: (wanted) => wanted, release() {} },
      take: async (room) => ({ deliveries: Array.from({ length: room }, () => ({}) as TakenDelivery), hasMore: true }),
      async deliver() {
        const atMs = performance.now() - startedMs
        begun.push(atMs)
        if (atMs >= 1000) slow ??= begun.length
        await new Promise((resolve) => setTimeout(resolve, slow === begun.length ? slowMs : 100))
        return { outcome, charged: true }
      },
      mayTake: () => !isOver,
      mayRest: () => hasSpare,
    },
    { hasMore: true, isAlone: false },
  )
  const ended = session.run()
  await jest.advanceTimersByTimeAsync(20_000)
  isOver = true
  await jest.advanceTimersByTimeAsync(slowMs)
  await ended
  return begun
}

const hasOne = (begun: readonly number[], fromMs: number, untilMs: number) =>
  begun.some((ms) => ms >= fromMs && ms < untilMs)

test('a slow request delays no other one of its endpoint', async () => {
  const begun = await beginnings({})
  const seconds = Array.from({ length: 20 }, (_, at) => hasOne(begun, at * 1000, (at + 1) * 1000))
  expect(seconds).toEqual(Array(20).fill(true))
})

test.each([
  ['other endpoints need its slot', { hasSpare: false }],
  ['its requests fail', { outcome: 'failed' as const }],
])('a session takes nothing after 5 s if %s', async (_why, options) => {
  const begun = await beginnings(options)
  expect(hasOne(begun, 0, 1100)).toBe(true)
  expect(hasOne(begun, 5000, 20_000)).toBe(false)
})

test('a session that never gets as many as it has room for goes on until nothing is left', async () => {
  let left = 20
  const session = new Session(
    {
      window: new EarnedWindow(64),
      further: { take: (wanted) => wanted, release() {} },
      async take() {
        const deliveries = left > 0 ? [{} as TakenDelivery] : []
        left -= deliveries.length
        return { deliveries, hasMore: left > 0 }
      },
      async deliver() {
        await new Promise((resolve) => setTimeout(resolve, 100))
        return { outcome: 'succeeded', charged: true }
      },
      mayTake: () => true,
      mayRest: () => true,
    },
    { hasMore: true, isAlone: true },
  )
  const ended = session.run()
  await jest.advanceTimersByTimeAsync(20_000)
  await ended
  expect(left).toBe(0)
})
