import { expect, test } from '@jest/globals'
import { ownLoopTurn } from './loop-turns.ts'

test('the work of a tenant waits for at most two pieces of another tenant’s, however many of them wait', async () => {
  const done: string[] = []
  const work = async (tenant: string) => {
    await ownLoopTurn(tenant)
    done.push(tenant)
  }
  await Promise.all([...Array.from({ length: 50 }, () => work('busy')), work('neighbour')])
  expect(done.length).toBe(51)
  expect(done.indexOf('neighbour')).toBeLessThanOrEqual(2)
})

test('each piece of work has a turn of the event loop of its own', async () => {
  let turns = 0
  const count = () => {
    turns += 1
    timer = setImmediate(count)
  }
  let timer = setImmediate(count)
  const seen: number[] = []
  await Promise.all(['a', 'a', 'b', 'c', 'c'].map((tenant) => ownLoopTurn(tenant).then(() => seen.push(turns))))
  clearImmediate(timer)
  expect(new Set(seen).size).toBe(5)
})
