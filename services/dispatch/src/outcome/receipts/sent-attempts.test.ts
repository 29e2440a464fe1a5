import { expect, test } from '@jest/globals'
import { createSentAttempts } from './sent-attempts.ts'

test('only the newest are remembered, up to the limit', () => {
  const sent = createSentAttempts(2)
  for (const id of ['a', 'b', 'c']) sent.add(id)
  expect(['a', 'b', 'c'].map((id) => sent.has(id))).toEqual([false, true, true])
})
