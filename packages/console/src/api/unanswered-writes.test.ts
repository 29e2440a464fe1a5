import { expect, test } from '@jest/globals'
import { digestOf, UnansweredWrites } from './unanswered-writes.ts'

test('a write that was not answered, or answered by a fault, is repeated with its key', () => {
  const writes = new UnansweredWrites()
  const key = writes.keyOf('a')
  expect(writes.keyOf('a')).toBe(key)
  writes.answered('a', 503)
  expect(writes.keyOf('a')).toBe(key)
  expect(writes.keyOf('b')).not.toBe(key)
})

test.each([201, 202, 409, 422])('after %d the same content is another write', (status) => {
  const writes = new UnansweredWrites()
  const key = writes.keyOf('a')
  writes.answered('a', status)
  expect(writes.keyOf('a')).not.toBe(key)
})

test('a key is forgotten after ten minutes', () => {
  let nowMs = 0
  const writes = new UnansweredWrites(() => nowMs)
  const key = writes.keyOf('a')
  nowMs = 600_000
  expect(writes.keyOf('a')).not.toBe(key)
})

test('the digest tells address and content apart, and leaves the request readable', async () => {
  const request = (path: string, body: string) => new Request(`http://x/${path}`, { method: 'POST', body })
  const first = request('a', '{"n":1}')
  const digest = await digestOf(first)
  expect(await first.text()).toBe('{"n":1}')
  expect(await digestOf(request('a', '{"n":1}'))).toBe(digest)
  expect(await digestOf(request('a', '{"n":2}'))).not.toBe(digest)
  expect(await digestOf(request('b', '{"n":1}'))).not.toBe(digest)
})
