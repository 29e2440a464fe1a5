import { expect, test } from '@jest/globals'
import { newId, type Receipt } from '@notify/contracts'
import { explainFailure } from './explain-failure.ts'

const receipt = (fields: Partial<Receipt>): Receipt => ({
  channel: 'email',
  provider_id: newId('prov'),
  provider_message_id: '1',
  status: 'undelivered',
  error_code: null,
  received_at: new Date().toISOString(),
  ...fields,
})

test.each([
  ['bounce:Transient:General', true],
  ['bounce:Transient:MailboxFull', true],
  ['bounce:Transient:SomethingNew', true],
  ['bounce:Undetermined:Undetermined', true],
  ['bounce:Transient:MessageTooLarge', false],
  ['bounce:Transient:ContentRejected', false],
  ['bounce:Transient:AttachmentRejected', false],
  ['bounce:Permanent:General', false],
  ['bounce:Permanent:OnAccountSuppressionList', false],
  ['reject', false],
  ['rendering_failure', false],
])('an email that ended with %s may be retried: %s', (error_code, retryable) => {
  expect(explainFailure(receipt({ error_code }))).toMatchObject({ code: error_code, retryable })
})

test('the reason is the code and what the carrier said, else what the code means', () => {
  const code = 'bounce:Permanent:General'
  const said = receipt({ error_code: code, error_message: 'smtp; 550 5.1.1 user unknown' })
  expect(explainFailure(said)?.reason).toBe('bounce:Permanent:General smtp; 550 5.1.1 user unknown')
  expect(explainFailure(receipt({ error_code: code }))?.reason).toBe(`${code} The carrier gave no reason`)
  expect(explainFailure(receipt({ error_code: 'reject', status: 'failed' }))?.reason).toBe(
    'reject The carrier refused the content',
  )
})

test.each([
  ['30003', true],
  ['30007', false],
  ['99999', true],
])('an SMS that ended with %s may be retried: %s', (error_code, retryable) => {
  expect(explainFailure(receipt({ channel: 'sms', error_code }))).toMatchObject({ code: error_code, retryable })
})

test('whoever is suppressed is not tried again, whatever the code says', () => {
  expect(explainFailure(receipt({ channel: 'sms', error_code: '30003', suppress: 'stop' }))?.retryable).toBe(false)
  expect(explainFailure(receipt({ error_code: 'bounce:Transient:General', suppress: 'bounce' }))?.retryable).toBe(false)
})

test('a receipt of anything but failure explains none', () => {
  for (const status of ['sent', 'delivered', 'read', 'delayed', 'complained'] as const) {
    expect(explainFailure(receipt({ status, error_code: 'x' }))).toBeUndefined()
  }
})
