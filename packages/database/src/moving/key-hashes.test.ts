import { expect, test } from '@jest/globals'
import { createKeyHashes } from './key-hashes.ts'

test('every hash that was added is found, in whatever order, and no other', () => {
  const hashes = createKeyHashes()
  const least = -(2n ** 63n)
  for (let at = 0n; at < 3000n; at += 3n) hashes.add([`${3000n - at}`, `${at - 3000n}`, `${least + at}`])
  const isKnown = hashes.toLookup()
  for (let at = 0n; at < 3000n; at += 3n)
    for (const hash of [3000n - at, at - 3000n, least + at])
      expect([isKnown(`${hash}`), isKnown(`${hash + 1n}`)]).toEqual([true, false])
  expect(isKnown(`${2n ** 63n - 1n}`)).toBe(false)
  expect(createKeyHashes().toLookup()('0')).toBe(false)
})
