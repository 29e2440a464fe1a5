import { expect, test } from '@jest/globals'
import pino from 'pino'
import { Lifecycle } from './lifecycle.ts'
import { startPeriodic } from './periodic.ts'

const hour = 3_600_000
const silent = pino({ level: 'silent' })

/** Starts a task whose rounds can be awaited. */
function task(
  run: (round: number, woken: boolean) => unknown,
  { everyMs = hour, atLeastMs, log = silent }: { everyMs?: number; atLeastMs?: number; log?: pino.Logger } = {},
) {
  const lifecycle = new Lifecycle(log)
  let round = 0
  let onRound = Promise.withResolvers<void>()
  const periodic = startPeriodic(
    { log, lifecycle },
    {
      name: 'task',
      everyMs,
      ...(atLeastMs === undefined ? {} : { atLeastMs }),
      async run(woken) {
        round++
        onRound.resolve()
        onRound = Promise.withResolvers()
        return run(round, woken)
      },
    },
  )
  return {
    ...periodic,
    stop: () => lifecycle.stop(),
    get rounds() {
      return round
    },
    async until(count: number) {
      while (round < count) await onRound.promise
    },
  }
}

const settled = async () => {
  for (let i = 0; i < 5; i++) await new Promise(setImmediate)
}

test('the first round begins at once, the next after the wait', async () => {
  const periodic = task(() => false, { everyMs: 1 })
  await periodic.until(3)
  await periodic.stop()
})

test('a round that found more to do is followed by the next at once', async () => {
  const periodic = task((round) => round < 5)
  await periodic.until(5)
  await settled()
  expect(periodic.rounds).toBe(5)
  await periodic.stop()
})

test('waking starts the next round now', async () => {
  const periodic = task(() => false)
  await periodic.until(1)
  await settled()
  periodic.wake()
  await periodic.until(2)
  await periodic.stop()
})

test('a round learns whether it was asked for or only its time has come', async () => {
  const asked: boolean[] = []
  const periodic = task((round, woken) => {
    asked.push(woken)
    return round === 2
  })
  await periodic.until(1)
  await settled()
  periodic.wake()
  await periodic.until(3)
  await periodic.stop()
  expect(asked).toEqual([false, true, true])
  const timed = task((_, woken) => asked.push(woken), { everyMs: 1 })
  await timed.until(2)
  await timed.stop()
  expect(asked.slice(3, 5)).toEqual([false, false])
})

test('waking while a round is under way starts exactly one more after it', async () => {
  const underWay = Promise.withResolvers<void>()
  const periodic = task((round) => (round === 1 ? underWay.promise : false))
  periodic.wake()
  periodic.wake()
  underWay.resolve()
  await periodic.until(2)
  await settled()
  expect(periodic.rounds).toBe(2)
  await periodic.stop()
})

test('a round that tells when something is due is followed by one then', async () => {
  const periodic = task((round) => (round < 3 ? 20 : Number.POSITIVE_INFINITY), { atLeastMs: 1 })
  const startedMs = performance.now()
  await periodic.until(3)
  expect(performance.now() - startedMs).toBeGreaterThanOrEqual(38)
  await settled()
  expect(periodic.rounds).toBe(3)
  await periodic.stop()
})

test('overdue items are looked for no sooner than the shortest wait', async () => {
  const periodic = task(() => 0, { atLeastMs: hour })
  await periodic.until(1)
  await settled()
  expect(periodic.rounds).toBe(1)
  await periodic.stop()
})

test('stirring brings the next round forward to the shortest wait, also while a round is under way', async () => {
  const underWay = Promise.withResolvers<void>()
  const beganMs: number[] = []
  const run = (round: number) => {
    beganMs.push(performance.now())
    return round === 1 ? underWay.promise : undefined
  }
  const periodic = task(run, { atLeastMs: 20 })
  periodic.stir()
  const endedMs = performance.now()
  underWay.resolve()
  await periodic.until(2)
  await settled()
  periodic.stir()
  periodic.stir()
  await periodic.until(3)
  // Each follows the end of the one before, whenever it was asked for.
  expect(beganMs[1]! - endedMs).toBeGreaterThanOrEqual(18)
  expect(beganMs[2]! - beganMs[1]!).toBeGreaterThanOrEqual(18)
  await settled()
  expect(periodic.rounds).toBe(3)
  await periodic.stop()
})

test('a round that throws is logged and repeated after the wait, not at once', async () => {
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  const periodic = task(
    (round) => {
      if (round <= 3) throw new Error('database away')
    },
    { everyMs: 1, log },
  )
  await periodic.until(4)
  await periodic.stop()
  expect(lines).toHaveLength(1)
  expect(JSON.parse(lines[0]!)).toMatchObject({ task: 'task', msg: 'periodic task failed; it will be repeated' })
})

test('waking does not hurry a task that fails', async () => {
  const periodic = task(() => {
    throw new Error('database away')
  })
  await periodic.until(1)
  await settled()
  for (let i = 0; i < 10; i++) periodic.wake()
  await settled()
  expect(periodic.rounds).toBe(1)
  await periodic.stop()
})

test('the stop waits for the round under way, and none follows', async () => {
  const underWay = Promise.withResolvers<boolean>()
  const periodic = task(() => underWay.promise)
  await periodic.until(1)
  let stopped = false
  const stop = periodic.stop().then(() => {
    stopped = true
  })
  await settled()
  expect(stopped).toBe(false)
  underWay.resolve(true)
  await stop
  expect(periodic.rounds).toBe(1)
})

test('the stop does not wait for the pause between two rounds', async () => {
  const periodic = task(() => false)
  await periodic.until(1)
  await settled()
  await periodic.stop()
  expect(periodic.rounds).toBe(1)
})
