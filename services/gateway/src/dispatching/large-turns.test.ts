import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { createTurns } from './large-turns.ts'

/** Work that ends when told. */
function startAll(turns: ReturnType<typeof createTurns>, count: number) {
  const begun: number[] = []
  const gates = Array.from({ length: count }, () => Promise.withResolvers<void>())
  const results = gates.map((gate, at) =>
    turns(async () => {
      begun.push(at)
      await gate.promise
      return at
    }),
  )
  return { begun, gates, results }
}

test('no more begin together than there are places, in order, and each gets its own result', async () => {
  const { begun, gates, results } = startAll(createTurns({ places: 2, longestMs: 60_000 }), 5)
  await delay(5)
  expect(begun).toEqual([0, 1])
  gates[1]!.resolve()
  gates[0]!.resolve()
  await delay(5)
  expect(begun).toEqual([0, 1, 2, 3])
  for (const { resolve } of gates) resolve()
  expect(await Promise.all(results)).toEqual([0, 1, 2, 3, 4])
})

test('work that fails gives its place up, once', async () => {
  const turns = createTurns({ places: 1, longestMs: 5 })
  const late = turns(async () => {
    await delay(20)
    throw new Error('late')
  })
  await expect(late).rejects.toThrow('late')
  const { begun, gates } = startAll(turns, 2)
  await delay(1)
  expect(begun).toEqual([0])
  for (const { resolve } of gates) resolve()
})

test('work that takes too long holds nobody up', async () => {
  const { begun, gates, results } = startAll(createTurns({ places: 1, longestMs: 20 }), 3)
  for (let waited = 0; begun.length < 3 && waited < 200; waited++) await delay(10)
  expect(begun).toEqual([0, 1, 2])
  for (const { resolve } of gates) resolve()
  await Promise.all(results)
})
