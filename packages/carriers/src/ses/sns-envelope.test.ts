import { expect, test } from '@jest/globals'
import { readEnvelope } from './sns-envelope.ts'

const message = {
  Type: 'Notification',
  MessageId: 'f7a7c3a0-0c3b-4d2c-9d37-3b1b6ab2f1d0',
  TopicArn: 'arn:aws:sns:eu-west-1:123456789012:ses-events',
  Message: 'Hello',
  Timestamp: '2026-01-01T00:00:00.000Z',
}
const read = (value: unknown) => readEnvelope(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)))

test('unknown fields are accepted', () => {
  expect(read({ ...message, UnsubscribeURL: 'https://x', NewField: { a: 1 } })).toMatchObject(message)
})

test.each<[string, unknown]>([
  ['nothing', ''],
  ['no JSON', 'Hello'],
  ['half of it', JSON.stringify(message).slice(0, 40)],
])('%s is invalid_json', (_what, value) => {
  expect(() => read(value)).toThrow(expect.objectContaining({ code: 'invalid_json' }))
})

test.each<[string, unknown]>([
  ['null', 'null'],
  ['a list', []],
  ['a text', '"Notification"'],
  ['an unknown type', { ...message, Type: 'Order' }],
  ['no topic', { ...message, TopicArn: undefined }],
  ['a message that is not a text', { ...message, Message: { a: 1 } }],
  ['an id of another form', { ...message, MessageId: "'; drop table" }],
  ['a NUL', JSON.stringify(message).replace('Hello', '\\u0000')],
  ['a confirmation without an address', { ...message, Type: 'SubscriptionConfirmation', Token: 't' }],
])('%s is validation_failed', (_what, value) => {
  expect(() => read(value)).toThrow(expect.objectContaining({ code: 'validation_failed' }))
})

test('a raw message is refused with the setting of the subscription to change', () => {
  expect(() => read({ eventType: 'Delivery', mail: {} })).toThrow(/raw message delivery/)
})
