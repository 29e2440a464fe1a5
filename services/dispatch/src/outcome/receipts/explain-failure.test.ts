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

test('reason and retryability are those that the receipt gives, whatever its code or channel', () => {
  const judged = { error_code: '21610', reason: '21610 The recipient has unsubscribed' }
  for (const retryable of [true, false]) {
    expect(explainFailure(receipt({ ...judged, channel: 'webhook', kind: 'pigeon', retryable }))).toEqual({
      code: '21610',
      reason: judged.reason,
      retryable,
    })
  }
})

test.each<[string, Partial<Receipt>, object]>([
  ['words', { error_code: 'x', error_message: 'user unknown' }, { reason: 'user unknown', retryable: true }],
  ['a code', { error_code: '30003' }, { reason: '30003', retryable: true }],
  ['nothing', {}, { reason: 'The carrier gave no reason', retryable: true }],
  ['whom to suppress', { error_code: '21610', suppress: 'stop' }, { reason: '21610', retryable: false }],
])('an older receipt, with %s, is explained by what it has', (_what, fields, expected) => {
  expect(explainFailure(receipt(fields))).toMatchObject(expected)
})

test('a receipt of anything but failure explains none', () => {
  for (const status of ['sent', 'delivered', 'read', 'delayed', 'complained'] as const) {
    expect(explainFailure(receipt({ status, error_code: 'x', reason: 'x', retryable: true }))).toBeUndefined()
  }
})
