import { expect, test } from '@jest/globals'
import { Slots } from './slots.ts'

const settled = async () => {
  for (let i = 0; i < 5; i++) await new Promise(setImmediate)
}

test('no more tasks than slots run at once, and the others of an owner follow in order', async () => {
  const slots = new Slots(2, 100, 100)
  const ends = Array.from({ length: 5 }, () => Promise.withResolvers<void>())
  const begun: number[] = []
  const tasks = ends.map(({ promise }, index) =>
    slots.run('a', 1, async () => {
      begun.push(index)
      await promise
      return index
    }),
  )
  await settled()
  expect(begun).toEqual([0, 1])
  ends[1]!.resolve()
  await settled()
  expect(begun).toEqual([0, 1, 2])
  for (const { resolve } of ends) resolve()
  expect(await Promise.all(tasks)).toEqual([0, 1, 2, 3, 4])
})

test('owners take turns, however many tasks one has', async () => {
  const slots = new Slots(1, 100, 100)
  const begun: string[] = []
  const run = (owner: string) =>
    slots.run(owner, 1, async () => {
      begun.push(owner)
      await settled()
    })
  await Promise.all([run('a'), run('a'), run('a'), run('a'), run('b'), run('c'), run('b')])
  expect(begun).toEqual(['a', 'a', 'b', 'c', 'a', 'b', 'a'])
})

test('a task that fails frees its slot', async () => {
  const slots = new Slots(1, 100, 100)
  await expect(slots.run('a', 1, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
  expect(await slots.run('a', 1, async () => 'next')).toBe('next')
})

test('there is room until the limit waits, and again when less does', async () => {
  const slots = new Slots(1, 20, 100)
  const ends = Array.from({ length: 3 }, () => Promise.withResolvers<void>())
  const tasks = ends.map(({ promise }) => slots.run('a', 15, () => promise))
  let room = false
  const waiting = slots.room().then(() => {
    room = true
  })
  await settled()
  expect(room).toBe(false)
  ends[0]!.resolve()
  await waiting
  expect(room).toBe(true)
  for (const { resolve } of ends) resolve()
  await Promise.all(tasks)
})

test('tasks run at once up to their total size, and one that is larger runs alone', async () => {
  const slots = new Slots(10, 100, 20)
  const ends = new Map<string, () => void>()
  const run = (owner: string, size: number) =>
    slots.run(owner, size, () => new Promise<void>((resolve) => ends.set(`${owner}${size}`, resolve)))
  const all = Promise.all([run('a', 12), run('a', 9), run('b', 1), run('a', 30), run('b', 2)])
  const step = async (ended?: string) => {
    await settled()
    if (ended) ends.get(ended)!()
    await settled()
    return [...ends.keys()]
  }
  // The second of the first owner has its turn first, and does not fit.
  expect(await step()).toEqual(['a12'])
  expect(await step('a12')).toEqual(['a12', 'a9', 'b1'])
  expect(await step('a9')).toEqual(['a12', 'a9', 'b1'])
  expect(await step('b1')).toEqual(['a12', 'a9', 'b1', 'a30'])
  expect(await step('a30')).toEqual(['a12', 'a9', 'b1', 'a30', 'b2'])
  await step('b2')
  await all
})
