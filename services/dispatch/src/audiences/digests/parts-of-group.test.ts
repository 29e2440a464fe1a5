import { expect, test } from '@jest/globals'
import { partsOf } from './parts-of-group.ts'

const partsOfItems = (...joined: number[]) =>
  partsOf(joined.map((count) => ({ joined: count }))).map((part) => part.map((digest) => digest.joined))

test('digests of few items are closed together', () => {
  expect(partsOfItems(1, 2, 3)).toEqual([[1, 2, 3]])
  expect(partsOfItems()).toEqual([])
})

test('digests of many items are closed one after the other, also one of more items than there may be together', () => {
  expect(partsOfItems(5000, 5000, 1, 9000, 1000)).toEqual([[5000, 5000], [1, 9000], [1000]])
  expect(partsOfItems(10_300, 1, 20_000)).toEqual([[10_300], [1], [20_000]])
})
