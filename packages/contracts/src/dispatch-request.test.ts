import { expect, test } from '@jest/globals'
import { DispatchRequest, tooManyEntries } from './dispatch-request.ts'
import { newId } from './ids.ts'

const sms = { channel: 'sms', recipient: { phone: '+15551230001' } }

test.each<[string, object]>([
  ['an event with data', { ...sms, event_key: 'order.shipped', data: { name: 'Ada', items: [1, { sku: 'a' }] } }],
  ['an event without data', { ...sms, event_key: 'order.shipped' }],
  ['its own text', { ...sms, body: 'Hello' }],
  ['a text with variables', { ...sms, body: 'Hello {{name}}', template_data: { name: 'Ada' } }],
  ['a stored template', { ...sms, template_id: newId('tmpl'), template_data: { name: 'Ada' } }],
  ['the number alone as recipient', { channel: 'sms', recipient: '+15551230001', body: 'Hello' }],
  ['an address with a name', { channel: 'email', recipient: { email: 'a@b.c', name: 'Ada' }, body: 'Hello' }],
  ['an opt-in', { channel: 'whatsapp', recipient: { phone: '+15551230001', opt_in_reference: 'o' }, event_key: 'e' }],
  ['a user id', { channel: 'in_app', recipient: 'user-1', title: 'Hi', body: 'Hello' }],
  ['an address to call', { channel: 'webhook', recipient: { url: 'https://a.b/c' }, event_key: 'e' }],
  ['an email of HTML alone', { channel: 'email', recipient: 'a@b.example', subject: 'Hi', html_body: '<p>Hi</p>' }],
  ['20 entries of metadata', { ...sms, body: 'Hello', metadata: entries(20) }],
])('a dispatch request accepts %s', (_what, request) => {
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
  [
    'a preheader without HTML',
    { channel: 'email', recipient: 'a@b.example', body: 'Hi', preheader: 'Hi' },
    'preheader',
  ],
  ['21 entries of metadata', { ...sms, body: 'Hello', metadata: entries(21) }, 'metadata'],
  ['metadata that is not a text', { ...sms, body: 'Hello', metadata: { a: 1 } }, 'metadata.a'],
])('a dispatch request refuses %s, and names the field', (_what, request, path) => {
  const { error } = DispatchRequest.safeParse(request)
  expect(error?.issues.map((issue) => issue.path.join('.'))).toContain(path)
})

test('an unknown field is refused by name', () => {
  const { error } = DispatchRequest.safeParse({ ...sms, body: 'Hello', sender: 'me' })
  expect(error?.issues).toMatchObject([{ code: 'unrecognized_keys', keys: ['sender'] }])
})

test('a request without a priority is transactional', () => {
  expect(DispatchRequest.parse({ ...sms, body: 'Hello' }).priority).toBe('transactional')
})

function entries(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`key${i}`, 'value']))
}

test.each([
  ['from', 'news@example.com', ['email']],
  ['html_body', '<p>Hi</p>', ['email']],
  ['subject', 'Hi', ['email', 'in_app']],
  ['title', 'Hi', ['in_app']],
])('%s is accepted only on channels that show it', (field, value, channels) => {
  const recipients = {
    email: 'ada@example.com',
    sms: '+15551230001',
    in_app: 'user-1',
    webhook: { url: 'https://a.b' },
  }
  for (const [channel, recipient] of Object.entries(recipients)) {
    const { error } = DispatchRequest.safeParse({ channel, recipient, body: 'Hi', [field]: value })
    expect(error?.issues.map(({ path }) => path)).toEqual(channels.includes(channel) ? undefined : [[field]])
  }
})

test.each([
  ['subject', 'email'],
  ['body', 'email'],
  ['html_body', 'email'],
  ['title', 'in_app'],
])('%s cannot be combined with an event or a stored template', (field, channel) => {
  const own = { channel, recipient: 'ada@example.com', [field]: 'Mine' }
  for (const named of [{ event_key: 'order.shipped' }, { template_id: newId('tmpl') }]) {
    const { error } = DispatchRequest.safeParse({ ...own, ...named })
    expect(error?.issues.map(({ path }) => path)).toEqual([[field]])
  }
})

test('an object with too many entries is found before it is validated entry by entry', () => {
  const entries = Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`k${n}`, n]))
  const request = { channel: 'sms', recipient: '+14155550100', body: 'Hi' }
  expect(tooManyEntries({ ...request, metadata: entries })).toEqual({
    path: 'metadata',
    message: 'must have at most 20 entries',
  })
  expect(tooManyEntries({ ...request, recipient: entries })?.path).toBe('recipient')
  expect([tooManyEntries(request), tooManyEntries({ ...request, data: entries }), tooManyEntries(null)]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})
