import { expect, jest, test } from '@jest/globals'
import { Health, Unready } from './health.ts'

test('a process is not ready before it says so, nor while it drains', async () => {
  const health = new Health()
  expect(await health.failures()).toEqual(['starting or draining'])
  health.setReady(true)
  expect(await health.failures()).toEqual([])
  health.setReady(false)
  expect(await health.failures()).toEqual(['starting or draining'])
})

test('the failing check is named, whether it throws or rejects', async () => {
  const health = new Health()
  health.setReady(true)
  health.require('postgres', () => Promise.reject(new Error('password=hunter2')))
  health.require('nats', () => {
    throw new Error('disconnected')
  })
  health.require('redis', () => {})
  expect(await health.failures()).toEqual(['postgres', 'nats'])
})

test('a check says why it fails when that may be shown, also while the process starts', async () => {
  const health = new Health()
  health.require('postgres', () => Promise.reject(new Unready('migration missing: 0014-weight')))
  expect(await health.failures()).toEqual(['starting or draining', 'migration missing: 0014-weight'])
  health.setReady(true)
  expect(await health.failures()).toEqual(['migration missing: 0014-weight'])
})

test('a check that does not answer within a second counts as failed', async () => {
  const health = new Health()
  health.setReady(true)
  health.require('postgres', () => new Promise(() => {}))
  expect(await health.failures()).toEqual(['postgres'])
})

test('monitoring reads what the probes of the last ten seconds found, and asks only when there were none', async () => {
  jest.useFakeTimers({ doNotFake: ['setTimeout', 'clearTimeout'] })
  try {
    const health = new Health()
    let asked = 0
    let isAway = false
    health.require('postgres', () => {
      asked++
      if (isAway) throw new Error('away')
    })
    expect(await health.isReady()).toBe(false)
    health.setReady(true)
    expect([await health.isReady(), asked]).toEqual([true, 1])
    isAway = true
    expect(await health.failures()).toEqual(['postgres'])
    expect([await health.isReady(), asked]).toEqual([false, 2])
    isAway = false
    jest.advanceTimersByTime(10_001)
    expect([await health.isReady(), asked]).toEqual([true, 3])
    health.setReady(false)
    expect(await health.isReady()).toBe(false)
  } finally {
    jest.useRealTimers()
  }
})

test('a failing optional dependency is reported as degraded, and the process stays ready', async () => {
  const health = new Health()
  health.setReady(true)
  health.prefer('redis', () => {
    throw new Error('WRONGPASS')
  })
  expect([await health.failures(), await health.degraded()]).toEqual([[], ['redis']])
})
