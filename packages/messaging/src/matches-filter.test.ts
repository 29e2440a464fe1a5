import { expect, test } from '@jest/globals'
import { matchesFilter } from './matches-filter.ts'

test.each([
  ['dispatch.send.bulk.sms', 'dispatch.send.bulk.sms', true],
  ['dispatch.send.*.sms', 'dispatch.send.bulk.sms', true],
  ['dispatch.notification.*', 'dispatch.notification.sent', true],
  ['dispatch.notification.*', 'dispatch.notification', false],
  ['dispatch.notification.*', 'dispatch.notification.sent.twice', false],
  ['dispatch.send.bulk.sms', 'dispatch.send.bulk.email', false],
  ['callbacks.receipt.*', 'callbacks.message.received', false],
])('the filter %s matches %s: %s', (filter, subject, matches) => {
  expect(matchesFilter(filter, subject)).toBe(matches)
})
