import { expect, test } from '@jest/globals'
import { Backlog } from './backlog.ts'

const settled = async () => {
  for (let i = 0; i < 5; i++) await new Promise(setImmediate)
}

test('items are handed out in the order in which they were added, also to a waiting caller', async () => {
  const backlog = new Backlog<number>(2)
  const first = backlog.next()
  for (const n of [1, 2, 3]) backlog.push(n)
  expect([await first, await backlog.next(), await backlog.next()]).toEqual([1, 2, 3])
})

test('there is room while few items wait, and again once enough were taken', async () => {
  const backlog = new Backlog<number>(2)
  await backlog.room()
  for (const n of [1, 2, 3]) backlog.push(n)
  let room = false
  void backlog.room().then(() => {
    room = true
  })
  await backlog.next()
  await settled()
  expect(room).toBe(false)
  await backlog.next()
  await settled()
  expect(room).toBe(true)
})

test('closing returns the remaining items and wakes all waiters', async () => {
  const backlog = new Backlog<number>(1)
  for (const n of [1, 2]) backlog.push(n)
  const room = backlog.room()
  expect(backlog.close()).toEqual([1, 2])
  await room
  expect(await backlog.next()).toBeUndefined()
  const empty = new Backlog<number>(1)
  const next = empty.next()
  expect(empty.close()).toEqual([])
  expect(await next).toBeUndefined()
})
