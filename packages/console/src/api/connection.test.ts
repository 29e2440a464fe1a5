import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { isGatewayAway, noteAnswer, noteHang, pollEvery } from './connection.ts'

const second = 1000
beforeEach(() => void jest.useFakeTimers())
afterEach(() => {
  noteAnswer(true)
  jest.useRealTimers()
})

test('while the gateway is away polls are as far apart as it has been away, a minute at most', () => {
  const next = pollEvery(5 * second)
  expect(next()).toBe(5 * second)
  // Several queries fail at the same moment.
  for (let query = 0; query < 9; query++) noteAnswer(false)
  expect([isGatewayAway(), next()]).toEqual([true, 5 * second])
  jest.advanceTimersByTime(20 * second)
  noteAnswer(false)
  expect(next()).toBe(20 * second)
  jest.advanceTimersByTime(3600 * second)
  expect(next()).toBe(60 * second)
})

test('the first answer ends the wait; one request that fails alone is a hiccup', () => {
  noteAnswer(false)
  expect(isGatewayAway()).toBe(false)
  jest.advanceTimersByTime(30 * second)
  noteAnswer(true)
  expect(pollEvery(5 * second)()).toBe(5 * second)
})

test('one request that hangs says at once that the gateway is away, until an answer comes', () => {
  noteHang()
  expect(isGatewayAway()).toBe(true)
  noteAnswer(true)
  expect(isGatewayAway()).toBe(false)
})
