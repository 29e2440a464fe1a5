import { expect, test } from '@jest/globals'
import { EventKey, EventTime, e164Pattern, Timestamp } from './text.ts'

test.each(['+15551230001', '+4915112345678', '+290123456', '+123456789012345'])('%s is an E.164 number', (text) => {
  expect(e164Pattern.test(text)).toBe(true)
})

test.each([
  '15551230001',
  '+05551230001',
  '+1 555 123 0001',
  '+1-555-123-0001',
  '+123456',
  '+1234567890123456',
  '+1555123000١',
  '++15551230001',
  '+15551230001\n',
  '',
])('%j is not an E.164 number', (text) => {
  expect(e164Pattern.test(text)).toBe(false)
})

test.each(['order.shipped', 'A', '9-lives', 'a_b.c-d', 'a'.repeat(128)])('%s is an event key', (text) => {
  expect(EventKey.safeParse(text).success).toBe(true)
})

test.each(['', '.order', '-order', 'order shipped', 'order|shipped', 'ordér', 'a'.repeat(129), 'order\n'])(
  '%j is not an event key',
  (text) => {
    expect(EventKey.safeParse(text).success).toBe(false)
  },
)

test('times of the API are UTC with milliseconds; times in events may be as Postgres writes them', () => {
  expect(Timestamp.safeParse(new Date().toISOString()).success).toBe(true)
  expect(Timestamp.safeParse('2026-11-21T09:30:00Z').success).toBe(false)
  expect(Timestamp.safeParse('2026-11-21T09:30:00.000+01:00').success).toBe(false)
  expect(EventTime.safeParse('2026-11-21T09:30:00.123456+00:00').success).toBe(true)
  expect(EventTime.safeParse('2026-11-21T09:30:00+01:00').success).toBe(true)
  expect(EventTime.safeParse('2026-11-21 09:30:00').success).toBe(false)
})
