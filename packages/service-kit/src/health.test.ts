import { expect, test } from '@jest/globals'
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

test('a failing optional dependency is reported as degraded, and the process stays ready', async () => {
  const health = new Health()
  health.setReady(true)
  health.prefer('redis', () => {
    throw new Error('WRONGPASS')
  })
  expect([await health.failures(), await health.degraded()]).toEqual([[], ['redis']])
})
