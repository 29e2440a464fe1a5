import { expect, test } from '@jest/globals'
import { createWriteLimit } from './limit-writes.ts'

const ada = { tenant_id: 'ten_1', application_id: 'app_1', mode: 'live', user_id: 'ada' } as const

test('a user may make five seconds of changes at once, then as many as the limit, and delays no other user', () => {
  let nowMs = 0
  const count = createWriteLimit(20, () => nowMs)
  const countOf = (user: Parameters<typeof count>[0], tries: number) => {
    let passed = 0
    for (let at = 0; at < tries; at++) {
      try {
        count(user)
        passed++
      } catch (error) {
        expect(error).toMatchObject({ code: 'rate_limited', headers: { 'Retry-After': '1' } })
      }
    }
    return passed
  }
  expect(countOf(ada, 500)).toBe(100)
  expect([countOf({ ...ada, user_id: 'bob' }, 1), countOf({ ...ada, mode: 'test' }, 1)]).toEqual([1, 1])
  nowMs += 1000
  expect(countOf(ada, 500)).toBe(20)
  nowMs += 3_600_000
  expect(countOf(ada, 500)).toBe(100)
})
