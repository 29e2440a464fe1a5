import { expect, test } from '@jest/globals'
import { email } from '../../channels/email/channel.ts'
import { sms } from '../../channels/sms/channel.ts'
import { suppressedRecipient } from './explain-suppression.ts'

test('the advice after a STOP by SMS is to answer START, and for an unsubscribed email address to ask an operator', () => {
  expect(suppressedRecipient('stop', sms.suppression).message).toMatch(/STOP.*START/)
  const { message } = suppressedRecipient('stop', email.suppression)
  expect(message).toMatch(/unsubscribed.*an operator must lift/)
  expect(message).not.toMatch(/STOP|START/)
})
