import { expect, test } from '@jest/globals'
import { acceptNotifications } from './accept.ts'
import { newId } from './ids.ts'
import { DispatchRequest } from './notifications.ts'

const sms = { channel: 'sms', recipient: { phone: '+15551230001' } }

test.each<[string, object]>([
  ['an event with data', { ...sms, event_key: 'order.shipped', data: { name: 'Ada', items: [1, { sku: 'a' }] } }],
  ['an event without data', { ...sms, event_key: 'order.shipped' }],
  ['a text of its own', { ...sms, body: 'Hello' }],
  ['a text with variables', { ...sms, body: 'Hello {{name}}', template_data: { name: 'Ada' } }],
  ['a stored template', { ...sms, template_id: newId('tmpl'), template_data: { name: 'Ada' } }],
  ['the number alone as recipient', { channel: 'sms', recipient: '+15551230001', body: 'Hello' }],
  ['an address with a name', { channel: 'email', recipient: { email: 'a@b.c', name: 'Ada' }, body: 'Hello' }],
  ['an opt-in', { channel: 'whatsapp', recipient: { phone: '+15551230001', opt_in_reference: 'o' }, event_key: 'e' }],
  ['a user id', { channel: 'in_app', recipient: 'user-1', title: 'Hi', body: 'Hello' }],
  ['an address to call', { channel: 'webhook', recipient: { url: 'https://a.b/c' }, event_key: 'e' }],
  ['20 entries of metadata', { ...sms, body: 'Hello', metadata: entries(20) }],
])('a dispatch request takes %s', (_what, request) => {
  expect(DispatchRequest.safeParse(request).error).toBeUndefined()
})

test.each<[string, object, string]>([
  ['an unknown channel', { ...sms, channel: 'fax', body: 'Hello' }, 'channel'],
  ['no recipient', { channel: 'sms', body: 'Hello' }, 'recipient'],
  ['a number as recipient', { ...sms, recipient: 15551230001, body: 'Hello' }, 'recipient'],
  ['a list of recipients', { ...sms, recipient: ['+15551230001'], body: 'Hello' }, 'recipient'],
  ['a field of another channel', { ...sms, recipient: { email: 'a@b.c' }, body: 'Hello' }, 'recipient.email'],
  ['an opt-in on sms', { ...sms, recipient: { opt_in_reference: 'o' }, body: 'Hello' }, 'recipient.opt_in_reference'],
  ['an object for a user id', { channel: 'in_app', recipient: { id: 'u' }, body: 'Hello' }, 'recipient.id'],
  ['neither event nor text', sms, 'body'],
  ['an event and a text', { ...sms, event_key: 'e', body: 'Hello' }, 'body'],
  ['an event and a template', { ...sms, event_key: 'e', template_id: newId('tmpl') }, 'template_id'],
  ['an event and template data', { ...sms, event_key: 'e', template_data: {} }, 'template_data'],
  ['an empty text', { ...sms, body: '' }, 'body'],
  ['a text of more than 100,000 characters', { ...sms, body: 'a'.repeat(100_001) }, 'body'],
  ['an event key with a space', { ...sms, event_key: 'order shipped' }, 'event_key'],
  ['a template id of another kind', { ...sms, template_id: newId('evt') }, 'template_id'],
  ['the lane of codes', { ...sms, body: 'Hello', priority: 'otp' }, 'priority'],
  ['data that is a list', { ...sms, event_key: 'e', data: ['Ada'] }, 'data'],
  ['21 entries of metadata', { ...sms, body: 'Hello', metadata: entries(21) }, 'metadata'],
  ['metadata that is no text', { ...sms, body: 'Hello', metadata: { a: 1 } }, 'metadata.a'],
])('a dispatch request refuses %s, and says where', (_what, request, path) => {
  const { error } = DispatchRequest.safeParse(request)
  expect(error?.issues.map((issue) => issue.path.join('.'))).toContain(path)
})

test('an unknown field is refused by name', () => {
  const { error } = DispatchRequest.safeParse({ ...sms, body: 'Hello', sender: 'me' })
  expect(error?.issues).toMatchObject([{ code: 'unrecognized_keys', keys: ['sender'] }])
})

test('what says nothing of its priority is transactional', () => {
  expect(DispatchRequest.parse({ ...sms, body: 'Hello' }).priority).toBe('transactional')
})

test('an accept call takes what no single request could: its items are judged one by one', () => {
  const item = { notification_id: newId('notif'), principal: 0, request: { nonsense: true } }
  expect(acceptNotifications.body.safeParse({ principals: ['token'], items: [item] }).success).toBe(true)
  expect(acceptNotifications.body.safeParse({ principals: [], items: [] }).success).toBe(false)
  const items = Array.from({ length: 513 }, () => item)
  expect(acceptNotifications.body.safeParse({ principals: ['token'], items }).success).toBe(false)
})

function entries(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`key${i}`, 'value']))
}

test('a sender of its own is for email alone', () => {
  const request = { body: 'Hi', from: 'news@example.com' }
  expect(DispatchRequest.safeParse({ ...request, channel: 'email', recipient: 'ada@example.com' }).success).toBe(true)
  const { error } = DispatchRequest.safeParse({ ...request, channel: 'sms', recipient: '+15551230001' })
  expect(error?.issues.map(({ path }) => path)).toEqual([['from']])
})
