import { expect, test } from '@jest/globals'
import { channels } from './registry.ts'

test('a payload of another channel is refused', () => {
  const sms = { channel: 'sms', to: '+15551230001', text: 'Hi' }
  const email = { channel: 'email', to: 'ada@example.com', subject: 'Hi', text: 'Hi' }
  expect(channels.sms!.payload.parse(sms)).toEqual(sms)
  expect(channels.email!.payload.parse(email)).toEqual(email)
  expect(channels.sms!.payload.safeParse(email).success).toBe(false)
  expect(channels.email!.payload.safeParse(sms).success).toBe(false)
})
