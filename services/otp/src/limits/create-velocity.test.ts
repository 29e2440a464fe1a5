import { expect, test } from '@jest/globals'
import { createVelocity } from './create-velocity.ts'

test('a limit that its application changes goes on with what was sent, also without Redis', async () => {
  const velocity = createVelocity({ status: 'connecting', defineCommand() {} } as never, Buffer.alloc(32))
  const isRefused = async (perMinute: number, id = 'app_1') => (await velocity('application', id, perMinute)) > 0
  const limits = [2, 2, 2, 4, 5, 5, 1000]
  const refused: boolean[] = []
  for (const perMinute of limits) refused.push(await isRefused(perMinute))
  expect(refused).toEqual([false, false, true, false, false, true, false])
  expect(await isRefused(1, 'app_2')).toBe(false)
})
