import { expect, test } from '@jest/globals'
import { createClientCache } from './client-cache.ts'

function counted() {
  const ended: number[] = []
  let made = 0
  const cache = createClientCache<number>((client) => ended.push(client))
  return {
    ended,
    cache,
    of: (id: string, revision = 1, variant = '') => cache.of({ id, revision }, variant, () => ++made),
  }
}

test('an account keeps its client until its credentials change; the old one is closed', () => {
  const { of, ended } = counted()
  expect([of('a'), of('a'), of('a', 1, 'elsewhere'), of('b')]).toEqual([1, 1, 2, 3])
  expect(of('a', 2)).toBe(4)
  expect(ended).toEqual([1])
})

test('a full cache closes the least recently used client, and all are closed at the end', () => {
  const { of, ended, cache } = counted()
  for (let n = 0; n < 2000; n++) of(`account ${n}`)
  of('account 0')
  of('one more')
  expect(ended).toEqual([2])
  cache.close()
  expect(new Set(ended).size).toBe(2001)
})
