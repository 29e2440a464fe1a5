import { expect, test } from '@jest/globals'
import type { Contents, InboxNotification } from './state.ts'
import { Store } from './store.ts'
import type { ChangeEvent } from './stream-event.ts'

const item = (n: number, is_read = false): InboxNotification => ({
  id: `inapp_${n}`,
  title: `Title ${n}`,
  body: '',
  is_read,
  created_at: '2026-01-01T00:00:00.000Z',
  data: {},
})
const created = (id: number, n: number, unread_count: number): ChangeEvent => ({
  event: 'notification.created',
  id,
  data: { notification: item(n), unread_count },
})
const updated = (
  id: number,
  change: 'read' | 'unread' | 'read_all' | 'deleted',
  notification: InboxNotification | null,
  unread_count: number,
  notification_id = notification?.id ?? null,
): ChangeEvent => ({ event: 'notification.updated', id, data: { change, notification_id, notification, unread_count } })

const loaded: Contents = { notifications: [item(2), item(1)], unreadCount: 2, nextCursor: null, seq: 2 }

function storeOf(contents = loaded) {
  const store = new Store(() => {})
  store.replace(contents)
  const shown = () => store.state.notifications.map(({ id, is_read }) => `${id.slice(6)}${is_read ? ' read' : ''}`)
  return { store, shown }
}

/** A request that the test answers. */
function request() {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  return { send: () => promise, resolve, reject }
}

test('an event counts once, and one that is ahead is refused', () => {
  const { store, shown } = storeOf()
  expect(store.apply(created(3, 3, 3))).toBe(true)
  expect(store.apply(created(3, 3, 9))).toBe(true)
  expect(store.apply(updated(1, 'deleted', null, 0, 'inapp_3'))).toBe(true)
  expect(store.apply(created(5, 5, 5))).toBe(false)
  expect([shown(), store.state.unreadCount, store.contents.seq]).toEqual([['3', '2', '1'], 3, 3])
})

test('events before the inbox is loaded do not make it look loaded', () => {
  const store = new Store(() => {})
  store.apply(created(1, 1, 1))
  expect(store.state).toMatchObject({ isLoaded: false, notifications: [] })
})

test('each kind of event has its effect, and the count is the one of the server', () => {
  const { store, shown } = storeOf()
  store.apply(updated(3, 'read', item(1, true), 1))
  expect([shown(), store.state.unreadCount]).toEqual([['2', '1 read'], 1])
  store.apply(updated(4, 'unread', item(1), 2))
  store.apply(updated(5, 'read', item(77, true), 1))
  expect([shown(), store.state.unreadCount]).toEqual([['2', '1'], 1])
  store.apply(updated(6, 'read_all', null, 0))
  expect([shown(), store.state.unreadCount]).toEqual([['2 read', '1 read'], 0])
  store.apply(updated(7, 'deleted', null, 0, 'inapp_2'))
  expect(shown()).toEqual(['1 read'])
})

test('an event that the list contains already is not shown twice', () => {
  const { store, shown } = storeOf({ ...loaded, seq: 0 })
  store.apply(created(1, 1, 1))
  store.apply(created(2, 2, 2))
  expect(shown()).toEqual(['2', '1'])
})

test('a change is shown at once, stays when it succeeds, and is taken back when it fails', async () => {
  const { store, shown } = storeOf()
  const mark = request()
  const marking = store.change({ kind: 'mark', id: 'inapp_1', isRead: true }, mark.send)
  const removal = request()
  const removing = store.change({ kind: 'delete', id: 'inapp_2' }, removal.send)
  expect([shown(), store.state.unreadCount]).toEqual([['1 read'], 0])
  removal.reject(new Error('refused'))
  await expect(removing).rejects.toThrow('refused')
  expect([shown(), store.state.unreadCount]).toEqual([['2', '1 read'], 1])
  mark.resolve()
  await marking
  expect([shown(), store.state.unreadCount]).toEqual([['2', '1 read'], 1])
})

test.each(['before', 'after'])('the event of a change that comes %s its response counts it once', async (when) => {
  const { store, shown } = storeOf()
  const { send, resolve } = request()
  const changing = store.change({ kind: 'mark', id: 'inapp_1', isRead: true }, send)
  const hear = () => store.apply(updated(3, 'read', item(1, true), 1))
  if (when === 'before') hear()
  expect(store.state.unreadCount).toBe(1)
  resolve()
  await changing
  if (when === 'after') hear()
  expect([shown(), store.state.unreadCount]).toEqual([['2', '1 read'], 1])
})

test('a server event about a notification overrides a change that is still being saved', async () => {
  const { store, shown } = storeOf()
  const { send, resolve } = request()
  const changing = store.change({ kind: 'mark', id: 'inapp_1', isRead: true }, send)
  store.apply(updated(3, 'read', item(1, true), 1))
  store.apply(updated(4, 'unread', item(1), 2))
  resolve()
  await changing
  expect([shown(), store.state.unreadCount]).toEqual([['2', '1'], 2])
})

test('read-all leaves unread what arrives while it is under way', async () => {
  const { store, shown } = storeOf()
  const { send, resolve } = request()
  const changing = store.change({ kind: 'read-all', ids: new Set(['inapp_1', 'inapp_2']) }, send)
  store.apply(created(3, 3, 3))
  expect([shown(), store.state.unreadCount]).toEqual([['3', '2 read', '1 read'], 1])
  resolve()
  await changing
  expect([shown(), store.state.unreadCount]).toEqual([['3', '2 read', '1 read'], 1])
})

test('a snapshot that comes while the next page is read makes the page void, and the one after it counts again', async () => {
  const { store, shown } = storeOf()
  const page = { notifications: [item(0)], nextCursor: null }
  const { promise, resolve } = Promise.withResolvers<typeof page>()
  const extending = store.extend(() => promise)
  store.replace({ ...loaded, seq: 9, nextCursor: 'c1' })
  resolve(page)
  await extending
  expect([shown(), store.contents.nextCursor]).toEqual([['2', '1'], 'c1'])
  await expect(store.extend(() => Promise.reject(new Error('refused')))).rejects.toThrow('refused')
  await store.extend(async () => page)
  expect([shown(), store.contents.nextCursor]).toEqual([['2', '1', '0'], null])
})

test('a notification that arrives and is deleted while the next page is read stays deleted', async () => {
  const { store, shown } = storeOf()
  const page = { notifications: [item(0)], nextCursor: null }
  const { promise, resolve } = Promise.withResolvers<typeof page>()
  const extending = store.extend(() => promise)
  store.apply(created(3, 3, 3))
  await store.change({ kind: 'delete', id: 'inapp_3' }, async () => {})
  resolve(page)
  await extending
  expect(shown()).toEqual(['2', '1', '0'])
})
