import { expect, test } from '@jest/globals'
import { bisect, coalesce } from './coalesce.ts'

/** A run that ends on command. */
function held<In, Out>(answer: (items: readonly In[]) => readonly (Out | Error)[]) {
  const batches: In[][] = []
  const ends: PromiseWithResolvers<void>[] = []
  return {
    batches,
    end: (index: number) => ends[index]!.resolve(),
    fail: (index: number, error: unknown) => ends[index]!.reject(error),
    async run(items: readonly In[]) {
      const end = Promise.withResolvers<void>()
      batches.push([...items])
      ends.push(end)
      await end.promise
      return answer(items)
    },
  }
}

/** Lets everything that is due happen. */
const settled = async () => {
  for (let i = 0; i < 5; i++) await new Promise(setImmediate)
}

test('items of the same moment are handled in one call, and each gets its own answer', async () => {
  const batches: number[][] = []
  const double = coalesce<number, number>({
    maxBatch: 100,
    maxInFlight: 1,
    run: async (items) => {
      batches.push([...items])
      return items.map((item) => item * 2)
    },
  })
  expect(await Promise.all([1, 2, 3].map(double))).toEqual([2, 4, 6])
  expect(batches).toEqual([[1, 2, 3]])
})

test('equal items are handled as often as they are given', async () => {
  let handled = 0
  const count = coalesce<string, number>({
    maxBatch: 10,
    maxInFlight: 1,
    run: async (items) => items.map(() => ++handled),
  })
  expect(await Promise.all(['a', 'a', 'a'].map(count))).toEqual([1, 2, 3])
})

test('no call takes more than the largest batch, and the order is kept', async () => {
  const work = held<number, number>((items) => items)
  const add = coalesce({ run: work.run, maxBatch: 4, maxInFlight: 10 })
  const answers = Promise.all(Array.from({ length: 10 }, (_, i) => add(i)))
  await settled()
  expect(work.batches).toEqual([
    [0, 1, 2, 3],
    [4, 5, 6, 7],
    [8, 9],
  ])
  work.batches.forEach((_, index) => {
    work.end(index)
  })
  expect(await answers).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
})

test('while as many calls as allowed are under way, further items gather for the next one', async () => {
  const work = held<number, number>((items) => items)
  const add = coalesce({ run: work.run, maxBatch: 100, maxInFlight: 2 })
  const answers: Promise<number>[] = []
  for (let i = 0; i < 6; i++) {
    answers.push(add(i))
    await settled()
  }
  expect(work.batches).toEqual([[0], [1]])
  work.end(1)
  await settled()
  expect(work.batches).toEqual([[0], [1], [2, 3, 4, 5]])
  work.end(0)
  work.end(2)
  expect(await Promise.all(answers)).toEqual([0, 1, 2, 3, 4, 5])
})

test('an error in the answer refuses its item alone', async () => {
  const check = coalesce<number, string>({
    maxBatch: 10,
    maxInFlight: 1,
    run: async (items) => items.map((item) => (item === 2 ? new Error('bad') : `ok ${item}`)),
  })
  const results = await Promise.allSettled([1, 2, 3].map(check))
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(results[2]).toMatchObject({ value: 'ok 3' })
})

test('a call that fails refuses its own items, and the next ones go on', async () => {
  const work = held<number, number>((items) => items)
  const add = coalesce({ run: work.run, maxBatch: 100, maxInFlight: 1 })
  const first = Promise.allSettled([add(1), add(2)])
  await settled()
  const second = add(3)
  work.fail(0, new Error('lost'))
  expect((await first).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  await settled()
  work.end(1)
  expect(await second).toBe(3)
  expect(work.batches).toEqual([[1, 2], [3]])
})

test('a call that throws before it begins refuses its items as well', async () => {
  const add = coalesce<number, number>({
    maxBatch: 10,
    maxInFlight: 1,
    run: () => {
      throw new Error('broken')
    },
  })
  await expect(add(1)).rejects.toThrow('broken')
  await expect(add(2)).rejects.toThrow('broken')
})

test('halving a batch isolates the bad item: all others are done, once, in order', async () => {
  const done: number[] = []
  const results = await bisect<number, number>(
    [Array.from({ length: 33 }, (_, i) => i)],
    async (items) => {
      if (items.includes(21)) throw new Error('21 cannot be stored')
      done.push(...items)
      return items
    },
    () => false,
  )
  expect(results[21]).toEqual(new Error('21 cannot be stored'))
  const others = Array.from({ length: 33 }, (_, i) => i).filter((i) => i !== 21)
  expect(results.filter((result) => typeof result === 'number')).toEqual(others)
  expect(done.toSorted((a, b) => a - b)).toEqual(others)
})

test('nothing is run after a failure that would meet every item; what was done before keeps its result', async () => {
  const lost = new Error('connection lost')
  const runs: number[][] = []
  const results = await bisect<number, number>(
    [
      [1, 2, 3, 4],
      [5, 6],
    ],
    async (items) => {
      runs.push([...items])
      if (items.length === 4) throw new Error('a duplicate')
      if (items.includes(3)) throw lost
      return items
    },
    (error) => error === lost,
  )
  expect(results).toEqual([1, 2, lost, lost, lost, lost])
  expect(runs).toEqual([
    [1, 2, 3, 4],
    [1, 2],
    [3, 4],
  ])
})

test('a thrown value that is not an Error becomes one, for its item', async () => {
  const results = await bisect<number, number>(
    [[1]],
    () => Promise.reject('text'),
    () => false,
  )
  expect(results).toEqual([new Error('text')])
})
