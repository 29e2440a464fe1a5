import { expect, jest, test } from '@jest/globals'
import { createVelocity } from './create-velocity.ts'

const startVelocity = () => createVelocity({ status: 'connecting', defineCommand() {} } as never, Buffer.alloc(32))

test('a limit that its application changes goes on with what was sent, also without Redis', async () => {
  const velocity = startVelocity()
  const isRefused = async (perMinute: number, id = 'app_1') =>
    (await velocity({ what: 'application', id, perMinute })).waitMs > 0
  const limits = [2, 2, 2, 4, 5, 5, 1000]
  const refused: boolean[] = []
  for (const perMinute of limits) refused.push(await isRefused(perMinute))
  expect(refused).toEqual([false, false, true, false, false, true, false])
  expect(await isRefused(1, 'app_2')).toBe(false)
})

test('a send that is given back no longer counts, also without Redis', async () => {
  const velocity = startVelocity()
  const prefix = { what: 'prefix', id: '+491512', perMinute: 1 } as const
  for (let sent = 0; sent < 3; sent++) {
    const { waitMs, giveBack } = await velocity(prefix)
    expect(waitMs).toBe(0)
    giveBack()
  }
  expect((await velocity(prefix)).waitMs).toBe(0)
  expect((await velocity(prefix)).waitMs).toBeGreaterThan(0)
})

test('a send that is given back after its minute makes no room in the next one', async () => {
  const velocity = startVelocity()
  const prefix = { what: 'prefix', id: '+491512', perMinute: 1 } as const
  jest.useFakeTimers()
  try {
    const late = await velocity(prefix)
    jest.advanceTimersByTime(61_000)
    late.giveBack()
    expect((await velocity(prefix)).waitMs).toBe(0)
    expect((await velocity(prefix)).waitMs).toBeGreaterThan(0)
  } finally {
    jest.useRealTimers()
  }
})
