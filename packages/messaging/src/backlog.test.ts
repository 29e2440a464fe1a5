import { expect, test } from '@jest/globals'
import { Backlog } from './backlog.ts'

const settled = async () => {
  for (let i = 0; i < 5; i++) await new Promise(setImmediate)
}

test('items are given in the order in which they were added, also to those that already wait', async () => {
  const backlog = new Backlog<number>(2)
  const first = backlog.next()
  for (const n of [1, 2, 3]) backlog.push(n)
  expect([await first, await backlog.next(), await backlog.next()]).toEqual([1, 2, 3])
})

test('there is room while few wait, and again once enough have been begun', async () => {
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

test('closing hands back what nobody has begun and lets nobody wait', async () => {
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
