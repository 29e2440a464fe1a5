import { describe, expect, test } from '@jest/globals'
import type { PreferenceReport, ReceivingAccount, TemplateReport } from '../receiver.ts'
import { readUpdate } from './read-update.ts'
import { readChanges } from './update.ts'

const account: ReceivingAccount = {
  id: 'prov_1',
  tenantId: 'ten_1',
  accountId: '106540352242922',
  parentId: '102290129340398',
  secret: null,
  sender: null,
  topicArns: [],
}

function read(value: object, field = 'messages') {
  const change = { field, value: { metadata: { phone_number_id: account.accountId }, ...value } }
  const post = { object: 'whatsapp_business_account', entry: [{ id: account.parentId, changes: [change] }] }
  return readUpdate(readChanges(Buffer.from(JSON.stringify(post))), [account], 'secret')
}

describe('a preference', () => {
  const choices = (value: string, category?: string) =>
    read({ user_preferences: [{ wa_id: '16505551234', value, category, timestamp: 1731705721 }] })

  test.each([
    ['stop', 'marketing_messages', 1],
    ['stop', 'category_to_come', 1],
    ['stop', undefined, 1],
    ['resume', 'marketing_messages', 1],
    ['resume', 'category_to_come', 0],
    ['dance', 'marketing_messages', 0],
  ])('%s of %s', (value, category, reports) => {
    expect(choices(value, category)).toHaveLength(reports)
  })

  const stop = (whose: object) => ({ ...whose, category: 'marketing_messages', value: 'stop', timestamp: 1731705721 })

  test.each([{}, { wa_id: null }, { wa_id: '' }])(
    'of a user who hides the number counts for the id that it names: %j',
    (hidden) => {
      expect(read({ user_preferences: [stop({ ...hidden, user_id: 'US.1' })] })).toMatchObject([
        { type: 'preference', content: { from: '', user_id: 'US.1', choice: 'stop' } },
      ])
    },
  )

  test('without an id counts for the only contact', () => {
    const contacts = [{ user_id: 'US.1' }]
    expect(read({ contacts, user_preferences: [stop({ user_id: null })] })).toMatchObject([
      { content: { from: '', user_id: 'US.1' } },
    ])
  })

  test('of each of two users who hide their numbers is a report of its own', () => {
    const users = [{ user_id: 'US.1' }, { user_id: 'US.2' }]
    const reports = read({ contacts: users, user_preferences: users.map(stop) })
    expect(reports).toMatchObject(users.map((user) => ({ type: 'preference', content: user })))
    expect(new Set(reports.map((report) => (report as PreferenceReport).callbackId)).size).toBe(2)
  })
})

test('a message, a choice and a refused marketing message have the time that the carrier names', () => {
  const timestamp = '1761548340'
  const occurredAt = new Date(1_761_548_340_000)
  const reports = read({
    messages: [{ id: 'wamid.1', from: '16505551234', timestamp, type: 'text', text: { body: 'STOP' } }],
    user_preferences: [{ wa_id: '16505551234', value: 'stop', category: 'marketing_messages', timestamp }],
    statuses: [{ id: 'wamid.2', status: 'failed', timestamp, recipient_id: '16505551234', errors: [{ code: 131050 }] }],
  })
  expect(reports.filter(({ type }) => type !== 'receipt')).toMatchObject([
    { type: 'preference', occurredAt, content: { source: 'carrier' } },
    { type: 'message', occurredAt },
    { type: 'preference', occurredAt, content: { source: 'preference' } },
  ])
})

test('a status has the trace that travelled along only if it is one', () => {
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
  const report = (travelled: string) =>
    read({ statuses: [{ id: 'wamid.1', status: 'sent', biz_opaque_callback_data: `traceparent=${travelled}` }] })
  expect(report(traceparent)).toMatchObject([{ type: 'receipt', traceparent }])
  for (const text of ['', 'x', `${traceparent}%00`]) expect(report(text)[0]).not.toHaveProperty('traceparent')
})

test('a message with the number and the id of its sender maps that id to the number', () => {
  const message = { id: 'wamid.1', from: '16505551234', from_user_id: 'user.1', type: 'text', text: { body: 'Hi' } }
  expect(read({ messages: [message], contacts: [{ wa_id: '16505551234' }] })).toMatchObject([
    { type: 'identity', content: { phone: '+16505551234', user_id: 'user.1' } },
    { type: 'message', content: { from: '+16505551234', user_id: 'user.1' } },
  ])
})

test.each([
  ['PAUSED', 'paused'],
  ['UNPAUSED', 'approved'],
  ['REINSTATED', 'approved'],
  ['UNARCHIVED', 'approved'],
  ['FLAGGED', undefined],
  ['LOCKED', undefined],
])('after the event %s, the status of a template is %s', (event, status) => {
  const named = { message_template_name: 'news', message_template_language: 'en', message_template_category: 'UTILITY' }
  const [report] = read({ event, ...named }, 'message_template_status_update')
  expect(report).toMatchObject({ type: 'template', category: 'utility' })
  expect((report as TemplateReport).status).toBe(status)
})

test('a change of a template has an identity that fits an index, however long its texts are', () => {
  const long = (text: string) => text.repeat(512)
  const report = (message_template_id: string) =>
    read(
      {
        event: long('a'),
        message_template_id,
        message_template_name: long('b'),
        message_template_language: long('c'),
        message_template_category: long('d'),
      },
      'message_template_status_update',
    )
  const [one, same, other] = [long('1234567890'), long('1234567890'), long('1234567891')].map(report)
  expect(one).toMatchObject([{ type: 'template', callbackId: expect.stringMatching(/^.{43}$/) }])
  expect(same).toEqual(one)
  expect(other).not.toEqual(one)
})
