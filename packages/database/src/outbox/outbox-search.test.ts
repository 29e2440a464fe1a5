import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { createOutboxSearch } from './outbox-search.ts'

const first = '00000000-0000-0000-0000-000000000000'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

test('after a claim that left nothing behind the next ones look for new messages, and every few seconds for all', () => {
  const search = createOutboxSearch(2)
  expect(search.begin()).toBe(first)
  search.end(['b'])
  expect(search.begin()).toBeNull()
  search.end([])
  jest.advanceTimersByTime(2999)
  expect(search.begin()).toBeNull()
  search.end([])
  jest.advanceTimersByTime(1)
  expect(search.begin()).toBe(first)
  search.end([])
  expect(search.begin()).toBeNull()
})

test('after a claim that left messages behind the next one begins at its oldest', () => {
  const search = createOutboxSearch(2)
  search.begin()
  search.end(['c', 'b'])
  expect(search.begin()).toBe('b')
  search.end(['d'])
  expect(search.begin()).toBeNull()
})

test('after a claim that failed, and after messages were published again, the next one begins at the first', () => {
  const search = createOutboxSearch(2)
  search.begin()
  search.end(['b'])
  search.begin()
  expect(search.begin()).toBe(first)
  search.end([])
  search.restart()
  expect(search.begin()).toBe(first)
})
