import { expect, test } from '@jest/globals'
import { lendConnections } from './lend-connections.ts'

const anHourMs = 3_600_000

test('a connection that is given back goes to the first that waits, to codes before other messages', async () => {
  const { borrow } = lendConnections(2, anHourMs)
  const [first, second] = [await borrow(false), await borrow(false)]
  const begun: string[] = []
  const wait = async (name: string, isCode: boolean) => {
    const giveBack = await borrow(isCode)
    begun.push(name)
    giveBack!()
  }
  const waiting = [wait('a', false), wait('b', false), wait('code 1', true), wait('code 2', true)]
  expect(begun).toEqual([])
  first!()
  await Promise.all(waiting)
  expect(begun).toEqual(['code 1', 'code 2', 'a', 'b'])
  second!()
})

test('a send beyond the connections gets none unless one becomes free in time', async () => {
  const { borrow } = lendConnections(1, 1)
  const only = await borrow(false)
  expect(await borrow(true)).toBeUndefined()
  only!()
  expect(await borrow(false)).toBeDefined()
  expect(await borrow(false)).toBeUndefined()
})
