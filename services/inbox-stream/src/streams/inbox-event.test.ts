import { randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { newId, streamInbox } from '@notify/contracts'
import { parseKeyRing } from '@notify/privacy'
import { type ItemContent, notificationOf, sealContent } from '../inbox/item-content.ts'
import { encodeInboxEvent, type InboxEvent } from './inbox-event.ts'

const keyRing = parseKeyRing(`k1:${randomBytes(32).toString('base64')}`)
const [tenantId, id] = ['ten_1', newId('inapp')]
const shown: ItemContent = {
  title: 'Grüße "7"\n\u2028',
  body: '{}\\ 😀',
  data: { action_url: '/a?b=c&d', category: '\r\n' },
}
const content = sealContent(keyRing, tenantId, id, shown)
const created_at = '2026-01-01T00:00:00.000Z'

/** An event as a reader of the stream parses it. */
function received(fields: Partial<InboxEvent>) {
  const event: InboxEvent = { seq: 7, kind: 'created', item_id: id, unread_count: 3, content, created_at, ...fields }
  const { chunk, text } = encodeInboxEvent(keyRing, tenantId, event)
  expect(chunk.toString()).toBe(`${text.length.toString(16)}\r\n${text}\r\n`)
  const [, seq, name, data] = /^id: (\d+)\nevent: (.+)\ndata: ([^\n\r]+)\n\n$/.exec(text.toString())!
  expect(seq).toBe('7')
  return { event: name, data: streamInbox.events[name as 'notification.created'].parse(JSON.parse(data!)) }
}
const notification = (is_read: boolean) =>
  notificationOf(keyRing, tenantId, { id, is_read, content, created_at: new Date(created_at) })

test('a created item is sent as the inbox lists it', () => {
  const data = { notification: notification(false), unread_count: 3 }
  expect(received({})).toEqual({ event: 'notification.created', data })
})

test.each(['read', 'unread'] as const)('a notification that is marked %s is sent in full', (change) => {
  const data = { change, notification_id: id, notification: notification(change === 'read'), unread_count: 3 }
  expect(received({ kind: change })).toEqual({ event: 'notification.updated', data })
})

test.each(['created', 'read', 'deleted'] as const)(
  'an item that was deleted after it was %s is sent as deleted',
  (kind) => {
    const data = { change: 'deleted', notification_id: id, notification: null, unread_count: 3 }
    expect(received({ kind, content: null, created_at: null })).toEqual({ event: 'notification.updated', data })
  },
)

test('of all that are read, none is named', () => {
  const data = { change: 'read_all', notification_id: null, notification: null, unread_count: 3 }
  const nothing = { item_id: null, content: null, created_at: null }
  expect(received({ kind: 'read_all', ...nothing })).toEqual({ event: 'notification.updated', data })
})

test('a content of another notification is an error', () => {
  expect(() => received({ item_id: newId('inapp') })).toThrow()
})
