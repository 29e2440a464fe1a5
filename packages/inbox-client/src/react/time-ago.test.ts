import { expect, test } from '@jest/globals'
import { timeAgo } from './time-ago.ts'

const now = Date.parse('2026-03-10T12:00:00Z')
const hourMs = 3_600_000

test.each([
  [0, 'now'],
  [0.5, '30 minutes ago'],
  [23, '23 hours ago'],
  [24, '1 day ago'],
  // The day before yesterday for every reader.
  [47, '1 day ago'],
  [48, '2 days ago'],
])('a time %d hours before now is shown as %s', (hours, text) => {
  expect(timeAgo(new Date(now - hours * hourMs).toISOString(), now, 'en')).toBe(text)
})
