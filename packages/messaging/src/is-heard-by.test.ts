import { expect, test } from '@jest/globals'
import { isHeardBy } from './is-heard-by.ts'

test.each([
  ['dispatch.send.bulk.sms', 'dispatch.send.bulk.sms', true],
  ['dispatch.send.*.sms', 'dispatch.send.bulk.sms', true],
  ['dispatch.notification.*', 'dispatch.notification.sent', true],
  ['dispatch.notification.*', 'dispatch.notification', false],
  ['dispatch.notification.*', 'dispatch.notification.sent.twice', false],
  ['dispatch.send.bulk.sms', 'dispatch.send.bulk.email', false],
  ['callbacks.receipt.*', 'callbacks.message.received', false],
])('%s hears %s: %s', (filter, subject, heard) => {
  expect(isHeardBy(filter, subject)).toBe(heard)
})
