import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { eventually } from '../src/eventually.ts'

test('an assertion that comes true is waited for, and its value returned', async () => {
  let calls = 0
  const value = await eventually(
    () => {
      calls += 1
      expect(calls).toBe(3)
      return 'done'
    },
    { intervalMs: 1 },
  )
  expect(value).toBe('done')
})

test('an attempt that began in time and ended late is not the last', async () => {
  let isThere = false
  const look = async () => {
    const seen = isThere
    isThere = true
    await delay(30)
    expect(seen).toBe(true)
  }
  await eventually(look, { timeoutMs: 20, intervalMs: 1 })
})

test('an assertion that never comes true fails with its own last message and the time waited', async () => {
  const never = () => Promise.reject(new Error('still two rows'))
  await expect(eventually(never, { timeoutMs: 20, intervalMs: 1 })).rejects.toThrow(
    /^still so after \d+\.\d s: still two rows$/,
  )
})
