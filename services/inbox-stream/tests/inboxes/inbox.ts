import { expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { eventually } from '@notify/dev-env'
import { expectProblem, post } from '@notify/test-kit/api'
import { freshUser, inbox, sendInApp, sendInAppUntilTaken, untilInbox, userToken } from '@notify/test-kit/inbox'
import { readEvents } from '../read-events.ts'
import { env } from './stack.ts'

/** A user with so many notifications, `0` first; newest first in the list. */
async function userWith(count: number, fieldsOf: (at: number) => object = () => ({})) {
  const user = freshUser()
  const token = await userToken(env, user)
  for (let at = 0; at < count; at++) {
    await sendInApp(env, user, { title: String(at), ...fieldsOf(at) })
    await untilInbox(env, token, at + 1)
  }
  const { notifications } = await untilInbox(env, token, count)
  return { user, token, ids: (notifications as { id: string }[]).map(({ id }) => id) }
}

const titles = async (token: string, search = '') =>
  (await inbox(env, token, search)).body.notifications.map(({ title }: { title: string }) => title)
const count = async (token: string) => (await env.api('GET', '/api/v1/inbox/unread-count', { token })).body.unread_count
const mark = (token: string, id: string, is_read: unknown) =>
  env.api('PATCH', `/api/v1/inbox/${id}`, { token, body: { is_read } })
const readAll = (token: string) => env.api('POST', '/api/v1/inbox/read-all', { token, body: {} })

test('a list goes page by page, newest first, and what comes meanwhile moves nothing', async () => {
  const { user, token } = await userWith(5)
  const first = (await inbox(env, token, '?limit=2')).body
  expect(first.notifications.map(({ title }: { title: string }) => title)).toEqual(['4', '3'])
  await sendInApp(env, user, { title: 'new' })
  await untilInbox(env, token, 6)
  const second = (await inbox(env, token, `?limit=2&cursor=${first.next_cursor}`)).body
  const third = (await inbox(env, token, `?limit=2&cursor=${second.next_cursor}`)).body
  expect([...second.notifications, ...third.notifications].map(({ title }) => title)).toEqual(['2', '1', '0'])
  expect(third.next_cursor).toBeNull()
})

test('a page of large notifications ends before its limit, and a stream sends them all', async () => {
  const user = freshUser()
  const token = await userToken(env, user)
  for (let at = 0; at < 6; at++) await sendInApp(env, user, { title: String(at), body: '€'.repeat(80_000) })
  await eventually(async () => expect(await count(token)).toBe(6))
  for (const filter of ['', 'unread_only=true&']) {
    const first = (await inbox(env, token, `?${filter}limit=100`)).body
    const second = (await inbox(env, token, `?${filter}limit=100&cursor=${first.next_cursor}`)).body
    expect([first.notifications.length, second.notifications.length, second.next_cursor]).toEqual([5, 1, null])
    expect([...first.notifications, ...second.notifications].map(({ title }) => title)).toEqual([...'543210'])
  }
  const stream = await readEvents(env, token, { lastEventId: '0' })
  expect((await stream.until('notification.created', 6)).map(({ id }) => id)).toEqual([...'123456'])
  stream.close()
})

test('a list is compressed through the gateway, and not sent again to a reader who has it', async () => {
  const { user, token } = await userWith(1, () => ({ body: 'Your order is on its way. '.repeat(60) }))
  const ask = (more: Record<string, string>) =>
    fetch(`${env.stack.url('gateway')}/api/v1/inbox`, { headers: { authorization: `Bearer ${token}`, ...more } })
  const small = await ask({ 'accept-encoding': 'gzip' })
  const plain = await ask({ 'accept-encoding': 'identity' })
  expect([small.headers.get('content-encoding'), plain.headers.get('content-encoding')]).toEqual(['gzip', null])
  expect(await small.json()).toEqual(await plain.json())
  const etag = small.headers.get('etag')!
  expect([etag, (await ask({ 'if-none-match': etag })).status]).toEqual([plain.headers.get('etag'), 304])
  await sendInApp(env, user, { title: 'new' })
  await untilInbox(env, token, 2)
  expect((await ask({ 'if-none-match': etag })).status).toBe(200)
})

test('a notification is in the language of its user, where there is a translation', async () => {
  const event = {
    ...{ event_key: 'inbox.languages', name: 'Orders', status: 'published', allowed_channels: ['in_app'] },
    templates: { in_app: { title: '{{ n | plural: one: "# order", other: "# orders" }}', body: 'Hi' } },
    translations: {
      ar: { in_app: { title: '{{ n | plural: two: "طلبان", few: "# طلبات", other: "# طلب" }}', body: 'مرحبا' } },
    },
  }
  const path = `/api/v1/applications/${env.applicationId}/events`
  // The first template starts the threads that render: on a busy machine it may be refused with 503.
  await eventually(async () =>
    expect((await env.api('POST', path, { token: env.operatorToken, body: event })).status).toBe(201),
  )
  const user = freshUser()
  const token = await userToken(env, user)
  for (const [at, fields] of [
    { locale: 'ar-EG', data: { n: 2 } },
    { locale: 'fr', data: { n: 1200 } },
  ].entries()) {
    const request = { channel: 'in_app', recipient: user, event_key: event.event_key, ...fields }
    expect((await post(env, request)).status).toBe(202)
    await untilInbox(env, token, at + 1)
  }
  expect(await titles(token)).toEqual(['1,200 orders', 'طلبان'])
})

test('a category narrows the list, with unread_only too', async () => {
  const { token, ids } = await userWith(4, (at) => ({ data: { category: at % 2 === 0 ? 'even' : 'odd' } }))
  expect(await titles(token, '?category=even')).toEqual(['2', '0'])
  await mark(token, ids[1]!, true)
  expect(await titles(token, '?category=even&unread_only=true')).toEqual(['0'])
  expect(await titles(token, '?category=none')).toEqual([])
})

test('marking changes the state, the count and the list; marking again changes nothing', async () => {
  const { token, ids } = await userWith(3)
  const stream = await readEvents(env, token)
  const first = await mark(token, ids[0]!, true)
  expect([first.status, first.body]).toEqual([200, expect.objectContaining({ id: ids[0], is_read: true, title: '2' })])
  expect((await mark(token, ids[0]!, true)).body.is_read).toBe(true)
  expect([await count(token), await titles(token, '?unread_only=true')]).toEqual([2, ['1', '0']])
  expect((await mark(token, ids[0]!, false)).body.is_read).toBe(false)
  expect([await count(token), await titles(token, '?unread_only=true')]).toEqual([3, ['2', '1', '0']])
  const updates = await stream.until('notification.updated', 2)
  expect(updates.map(({ id, data }) => [id, data.change, data.notification.is_read, data.unread_count])).toEqual([
    ['4', 'read', true, 2],
    ['5', 'unread', false, 3],
  ])
  stream.close()
})

test('reading all is one event; what was marked as unread after it, or came later, is unread', async () => {
  const { user, token, ids } = await userWith(3)
  const stream = await readEvents(env, token)
  expect((await readAll(token)).body).toEqual({ unread_count: 0 })
  expect((await readAll(token)).body).toEqual({ unread_count: 0 })
  expect([await count(token), await titles(token, '?unread_only=true')]).toEqual([0, []])
  expect((await inbox(env, token)).body.notifications.map(({ is_read }: { is_read: boolean }) => is_read)).toEqual([
    true,
    true,
    true,
  ])
  await mark(token, ids[2]!, true)
  await mark(token, ids[1]!, false)
  await sendInApp(env, user, { title: 'later' })
  await untilInbox(env, token, 4)
  expect([await count(token), await titles(token, '?unread_only=true')]).toEqual([2, ['later', '1']])
  const events = await stream.until('notification.updated', 2)
  expect(events.map(({ id, data }) => [id, data.change, data.unread_count])).toEqual([
    ['4', 'read_all', 0],
    ['5', 'unread', 1],
  ])
  expect(events[0]!.data).toEqual({ change: 'read_all', notification_id: null, notification: null, unread_count: 0 })
  await readAll(token)
  expect([await count(token), await titles(token, '?unread_only=true')]).toEqual([0, []])
  stream.close()
})

test('a deleted notification leaves the list and the count, and its content and its user leave the database', async () => {
  const { token, ids } = await userWith(2)
  const stream = await readEvents(env, token)
  const remove = () => env.api('DELETE', `/api/v1/inbox/${ids[0]}`, { token })
  expect((await remove()).status).toBe(204)
  expectProblem(await remove(), 404, 'not_found')
  expectProblem(await mark(token, ids[0]!, true), 404, 'not_found')
  expect([await count(token), await titles(token)]).toEqual([1, ['0']])
  const [event] = await stream.until('notification.updated')
  expect(event!.data).toEqual({ change: 'deleted', notification_id: ids[0], notification: null, unread_count: 1 })
  stream.close()
  const { rows } = await env
    .sql('inbox-stream')
    .query('select inbox_key, content, category_index from inbox_items where id = $1', [ids[0]])
  expect(rows).toEqual([{ inbox_key: 'erased', content: null, category_index: null }])
  const replay = await readEvents(env, token, { lastEventId: 1 })
  const updates = await replay.until('notification.updated', 2)
  expect(updates.map(({ id, data }) => [id, data.change])).toEqual([
    ['2', 'deleted'],
    ['3', 'deleted'],
  ])
  replay.close()
})

test('a notification that cannot be decrypted is left out of the list, and streams report it as deleted and go on', async () => {
  const { token, ids } = await userWith(3)
  await env.sql('inbox-stream').query(`update inbox_items set content = 'damaged' where id = $1`, [ids[1]])
  expect([await count(token), await titles(token)]).toEqual([3, ['2', '0']])
  const tabs = [await readEvents(env, token, { lastEventId: 0 }), await readEvents(env, token, { lastEventId: 0 })]
  await Promise.all(tabs.map((tab) => tab.until('notification.created', 2)))
  await mark(token, ids[1]!, true)
  await mark(token, ids[0]!, true)
  for (const tab of tabs) {
    const updates = await tab.until('notification.updated', 3)
    expect(updates.map(({ id, data }) => [id, data.change, data.notification_id, data.unread_count])).toEqual([
      ['2', 'deleted', ids[1], 2],
      ['4', 'deleted', ids[1], 2],
      ['5', 'read', ids[0], 1],
    ])
    expect(tab.isOver()).toBe(false)
    tab.close()
  }
})

test("another user's notification is not found", async () => {
  const { ids } = await userWith(1)
  const token = await userToken(env, freshUser())
  expectProblem(await mark(token, ids[0]!, true), 404, 'not_found')
  expectProblem(await env.api('DELETE', `/api/v1/inbox/${ids[0]}`, { token }), 404, 'not_found')
  for (const id of ['x', newId('inapp'), newId('notif'), "';--", '%F0%9F%92%A5']) {
    expectProblem(await mark(token, id, true), 404, 'not_found')
  }
})

test('the count stays true however marking, reading, deleting and arriving race', async () => {
  const { user, token, ids } = await userWith(8)
  const stream = await readEvents(env, token)
  // One that waits too long for its turn is answered 503, and not done.
  const removed = (id: string) =>
    eventually(async () => {
      const { status } = await env.api('DELETE', `/api/v1/inbox/${id}`, { token })
      expect([204, 404]).toContain(status)
    })
  const work = [
    ...ids.flatMap((id) => [mark(token, id, true), mark(token, id, false), mark(token, id, true)]),
    ...ids.slice(0, 3).map(removed),
    ...Array.from({ length: 6 }, () => sendInAppUntilTaken(env, user)),
    readAll(token),
    readAll(token),
  ]
  await Promise.all(work)
  const { notifications, unread_count } = await untilInbox(env, token, 11)
  expect(unread_count).toBe(notifications.filter(({ is_read }: { is_read: boolean }) => !is_read).length)
  expect((await inbox(env, token, '?unread_only=true&limit=100')).body.notifications).toHaveLength(unread_count)
  const { rows } = await env.sql('inbox-stream').query(
    `select max(b.last_seq) as last_seq, array_agg(e.seq order by e.seq) as seqs,
       (array_agg(e.unread_count order by e.seq desc))[1] as unread
     from inbox_events e join inboxes b on b.key = e.inbox_key
     where e.inbox_key = (select inbox_key from inbox_items where id = $1)`,
    [ids[3]],
  )
  const [{ last_seq, seqs, unread }] = rows as [{ last_seq: number; seqs: number[]; unread: number }]
  expect([seqs, unread]).toEqual([Array.from({ length: last_seq }, (_, at) => at + 1), unread_count])
  await stream.until('notification.created', 6)
  stream.close()
})

test.each([
  'limit=0',
  'limit=101',
  'limit=ten',
  'cursor=x',
  'unread_only=1',
  'unread_only=',
  'category=',
  `category=${'c'.repeat(65)}`,
  'colour=red',
])('the query %s is 422', async (query) => {
  expectProblem(await inbox(env, await userToken(env, 'ada'), `?${query}`), 422, 'validation_failed')
})

test.each([{}, { is_read: 'yes' }, { is_read: null }, { is_read: true, title: 'x' }])(
  'PATCH with %j is 422',
  async (body) => {
    const path = `/api/v1/inbox/${newId('inapp')}`
    expectProblem(await env.api('PATCH', path, { token: await userToken(env, 'ada'), body }), 422, 'validation_failed')
  },
)
