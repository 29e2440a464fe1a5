import { expect, test } from '@jest/globals'
import { createPace } from './pace.ts'

function paceAt(perSecond: number, slowdown = () => 1) {
  const clock = { nowMs: 0 }
  return { clock, pace: createPace(perSecond, { now: () => clock.nowMs, slowdown }) }
}

test('after a pause of any length, one turn may begin at once', () => {
  const { clock, pace } = paceAt(250)
  expect(pace.available()).toBe(25)
  pace.take(25)
  clock.nowMs = 3_600_000
  expect(pace.available()).toBe(25)
})

test('over time as many begin as the rate says, also when turns to come were drawn on', () => {
  const { clock, pace } = paceAt(100)
  pace.take(15)
  expect(pace.available()).toBe(-5)
  clock.nowMs = 100
  expect(pace.available()).toBe(5)
  let begun = 0
  for (; clock.nowMs <= 10_000; clock.nowMs += 100) {
    const now = Math.max(0, Math.floor(pace.available()))
    pace.take(now)
    begun += now
  }
  expect(begun).toBeGreaterThan(980)
  expect(begun).toBeLessThanOrEqual(1000)
})

test('a backlog is sent at the whole rate, however long its claims take', () => {
  const { clock, pace } = paceAt(250)
  const claimMs = 40
  let begun = 0
  while (clock.nowMs < 10_000) {
    const wanted = Math.max(0, Math.floor(pace.available()))
    pace.take(wanted)
    clock.nowMs += claimMs
    begun += wanted
    clock.nowMs += pace.nextTurnInMs()
  }
  expect(begun).toBe(2500)
})

test('sends that were taken and did not begin can be taken again', () => {
  const { clock, pace } = paceAt(250)
  pace.take(25)
  clock.nowMs = 20
  pace.giveBack(15)
  expect(pace.available()).toBe(20)
  pace.giveBack(15)
  expect(pace.available()).toBe(25)
})

test('turns begin every 100 ms, or when a slow rate has one send again', () => {
  const { clock, pace } = paceAt(250)
  clock.nowMs = 130
  pace.take(25)
  expect(pace.nextTurnInMs()).toBe(70)
  const slow = paceAt(2)
  slow.pace.take(1)
  expect(slow.pace.nextTurnInMs()).toBeCloseTo(500)
})

test('a slowdown lowers the rate while it lasts', () => {
  let factor = 8
  const { clock, pace } = paceAt(80, () => factor)
  pace.take(8)
  clock.nowMs = 100
  expect(pace.available()).toBeCloseTo(1)
  factor = 1
  clock.nowMs = 150
  expect(pace.available()).toBeCloseTo(5)
})
