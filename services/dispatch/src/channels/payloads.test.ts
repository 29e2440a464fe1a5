import { expect, test } from '@jest/globals'
import { channels } from './registry.ts'

/** Payloads as release 0.1 stored them, without their channel. */
const stored = {
  sms: { to: '+15551230001', text: 'Hi' },
  email: { to: 'ada@example.com', to_name: 'Ada', from: 'shop@example.com', subject: 'Hi', text: 'Hi', html: '<p>Hi' },
}

test.each(Object.entries(stored))(
  '%s: what release 0.1 stored is read, and written back with its channel',
  (name, row) => {
    const { payload } = channels[name as keyof typeof stored]!
    expect(payload.parse(row)).toEqual({ channel: name, ...row })
    expect(payload.parse(payload.parse(row))).toEqual({ channel: name, ...row })
  },
)

test('a payload of another channel is refused', () => {
  expect(channels.sms!.payload.safeParse({ channel: 'email', ...stored.email }).success).toBe(false)
  expect(channels.email!.payload.safeParse({ channel: 'sms', ...stored.sms }).success).toBe(false)
})
