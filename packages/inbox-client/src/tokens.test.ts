import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { createTokens } from './tokens.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

test('a backend that never answers is asked again by the next call after 30 s', async () => {
  let asked = 0
  const getToken = () => (++asked === 1 ? new Promise<string>(() => {}) : 'token')
  const tokens = createTokens(getToken, () => {})
  const refused = expect(tokens.get()).rejects.toMatchObject({ name: 'InboxError', status: undefined })
  await jest.advanceTimersByTimeAsync(30_000)
  await refused
  expect(await tokens.get()).toBe('token')
  expect(jest.getTimerCount()).toBe(0)
})
