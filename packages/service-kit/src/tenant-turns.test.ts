import { expect, test } from '@jest/globals'
import { createTenantTurns } from './tenant-turns.ts'

/** Enters for each tenant in turn; returns the growing order of admission. */
function crowd(places: number, tenants: readonly string[], maxWaiting = 100) {
  const turns = createTenantTurns({ places, maxWaiting })
  const entered: string[] = []
  const leaves: (() => void)[] = []
  const refused: string[] = []
  for (const tenant of tenants) {
    const turn = turns.enter(tenant)
    if (!turn) refused.push(tenant)
    void turn?.then((leave) => {
      entered.push(tenant)
      leaves.push(leave)
    })
  }
  return { entered, leaves, refused }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('a tenant takes all places but one, which is kept for others', async () => {
  const { entered } = crowd(3, ['a', 'a', 'a', 'a', 'b'])
  await settled()
  expect(entered).toEqual(['a', 'a', 'b'])
})

test('tenants take turns, whatever the number that each has waiting', async () => {
  const { entered, leaves } = crowd(1, ['a', 'a', 'a', 'a', 'b', 'b', 'c'])
  for (let n = 0; n < 7; n++) {
    await settled()
    leaves[n]?.()
  }
  expect(entered.join('')).toBe('aabcaba')
})

test('of one tenant only so many wait; the others are turned away at once', async () => {
  const { refused } = crowd(1, ['a', 'a', 'a', 'a', 'b'], 2)
  expect(refused).toEqual(['a'])
})
