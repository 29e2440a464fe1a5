import { expect, test } from '@jest/globals'
import { readAll } from './read-all.ts'

const list =
  (length: number) =>
  async ({ cursor = '0' }: { cursor?: string }) => {
    const from = Number(cursor)
    const items = Array.from({ length }, (_, at) => at).slice(from, from + 2)
    return { items, next_cursor: from + 2 < length ? String(from + 2) : null }
  }

test('all pages are read, in their order', async () => {
  expect(await readAll(100, list(5))).toEqual({ items: [0, 1, 2, 3, 4], isCut: false })
  expect(await readAll(100, list(0))).toEqual({ items: [], isCut: false })
})

test('a list that is longer than the bound is cut, and says so', async () => {
  expect(await readAll(4, list(5))).toEqual({ items: [0, 1, 2, 3], isCut: true })
  expect(await readAll(4, list(4))).toEqual({ items: [0, 1, 2, 3], isCut: false })
})
