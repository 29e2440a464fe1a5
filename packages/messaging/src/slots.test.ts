import { expect, test } from '@jest/globals'
import { Slots } from './slots.ts'

const settled = async () => {
  for (let i = 0; i < 5; i++) await new Promise(setImmediate)
}

test('no more tasks than slots run at once, and the others follow in order', async () => {
  const slots = new Slots(2)
  const ends = Array.from({ length: 5 }, () => Promise.withResolvers<void>())
  const begun: number[] = []
  const tasks = ends.map(({ promise }, index) =>
    slots.run(async () => {
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

test('a task that fails frees its slot', async () => {
  const slots = new Slots(1)
  await expect(slots.run(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
  expect(await slots.run(async () => 'next')).toBe('next')
})

test('room is there when a task would start at once, not before', async () => {
  const slots = new Slots(1)
  const end = Promise.withResolvers<void>()
  const tasks = [slots.run(() => end.promise), slots.run(() => end.promise)]
  let room = false
  const waiting = slots.room().then(() => {
    room = true
  })
  await settled()
  expect(room).toBe(false)
  end.resolve()
  await Promise.all([...tasks, waiting])
  expect(room).toBe(true)
  await slots.room()
})
