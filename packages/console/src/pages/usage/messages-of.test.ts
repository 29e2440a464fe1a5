import { expect, test } from '@jest/globals'
import { messagesOf } from './messages-of.ts'

const item = {
  application_id: 'app_01jd0000000000000000000000',
  channel: 'sms',
  category: null,
  messages: 2,
  credits: 2,
} as const

test('the messages of a day or month in UTC are those created in it, by live keys', () => {
  const { application_id, channel } = item
  const shared = { application_id, channel, mode: 'live' }
  expect(messagesOf({ ...item, period: '2026-02-28' })).toEqual({
    ...shared,
    from: '2026-02-28T00:00:00.000Z',
    to: '2026-03-01T00:00:00.000Z',
  })
  expect(messagesOf({ ...item, period: '2026-12' })).toEqual({
    ...shared,
    from: '2026-12-01T00:00:00.000Z',
    to: '2027-01-01T00:00:00.000Z',
  })
})
