import { expect, test } from '@jest/globals'
import { createVelocity } from './create-velocity.ts'

const startVelocity = () => createVelocity({ status: 'connecting', defineCommand() {} } as never, Buffer.alloc(32))

test('a limit that its application changes goes on with what was sent, also without Redis', async () => {
  const velocity = startVelocity()
  const isRefused = async (perMinute: number, id = 'app_1') =>
    (await velocity.take({ what: 'application', id }, perMinute)) > 0
  const limits = [2, 2, 2, 4, 5, 5, 1000]
  const refused: boolean[] = []
  for (const perMinute of limits) refused.push(await isRefused(perMinute))
  expect(refused).toEqual([false, false, true, false, false, true, false])
  expect(await isRefused(1, 'app_2')).toBe(false)
})

test('a send that is given back no longer counts, also without Redis', async () => {
  const velocity = startVelocity()
  const prefix = { what: 'prefix', id: '+491512' } as const
  for (let sent = 0; sent < 3; sent++) {
    expect(await velocity.take(prefix, 1)).toBe(0)
    velocity.giveBack(prefix)
  }
  expect(await velocity.take(prefix, 1)).toBe(0)
  expect(await velocity.take(prefix, 1)).toBeGreaterThan(0)
})
