import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import type { Api } from './api.ts'
import { followStream, type News } from './follow-stream.ts'
import { InboxError } from './inbox-error.ts'
import { Store } from './store.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

test('during a long wait that the server names, other tabs hear the status every 15 s', async () => {
  let calls = 0
  const api: Api = {
    user: async () => 'user',
    async call() {
      calls += 1
      throw new InboxError('Too busy', { status: 503, retryAfterMs: 120_000 })
    },
  }
  const sent: News[] = []
  const ending = new AbortController()
  const stream = { api, store: new Store(() => {}), delays: undefined, tell: (news: News) => void sent.push(news) }
  const following = followStream(stream, ending.signal)
  await jest.advanceTimersByTimeAsync(1)
  for (const seconds of [15, 30, 45, 60]) {
    sent.length = 0
    await jest.advanceTimersByTimeAsync(15_000)
    expect([seconds, sent]).toEqual([seconds, [{ kind: 'status', status: 'reconnecting' }]])
  }
  expect(calls).toBe(1)
  ending.abort()
  await following
  expect(jest.getTimerCount()).toBe(0)
})
