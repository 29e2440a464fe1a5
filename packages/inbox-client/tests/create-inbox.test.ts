import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { createInbox, type InboxClient, type InboxOptions } from '../src/index.ts'
import { notification, StubInbox, tokenOf } from './stub-inbox.ts'

let server: StubInbox
let user: string
const opened: (() => void)[] = []
beforeEach(async () => {
  server = await StubInbox.start()
  user = `user-${Math.random()}`
})
afterEach(async () => {
  for (const close of opened.splice(0)) close()
  await server.stop()
})

const fast = { baseMs: 10, maxMs: 20 }

/** A subscribed client, as one tab has it. */
function open(options: Partial<InboxOptions> = {}): InboxClient & { close(): void } {
  const inbox = createInbox({
    url: server.url,
    getToken: () => tokenOf(user),
    share: false,
    delays: fast,
    ...options,
  })
  const close = inbox.subscribe(() => {})
  opened.push(close)
  return { ...inbox, close }
}

const stream = (count: number) => eventually(() => expect(server.streams).toHaveLength(count))
const deleted = (n: number) => ({
  ...{ change: 'deleted', notification_id: `inapp_${n}`, notification: null },
  unread_count: 0,
})
const shown = (inbox: InboxClient) => inbox.getState().notifications.map(({ id }) => id)

test('it loads the inbox once the stream listens, so that nothing falls in between', async () => {
  server.items = [notification(1)]
  server.unread = 1
  const inbox = open()
  await stream(1)
  expect(server.requestsOf('/inbox')).toEqual([])
  expect(inbox.getState()).toMatchObject({ status: 'connecting', isLoaded: false })
  server.ready(false, 4)
  await eventually(() => expect(inbox.getState()).toMatchObject({ status: 'live', isLoaded: true, unreadCount: 1 }))
  expect(shown(inbox)).toEqual(['inapp_1'])
})

test('an event that comes while the inbox is being loaded is neither lost nor shown twice', async () => {
  const answering = Promise.withResolvers<void>()
  server.answer = async ({ path }) => {
    if (path === '/inbox') await answering.promise
    return false
  }
  server.items = [notification(5), notification(4)]
  const inbox = open()
  await stream(1)
  server.ready(false, 4)
  // The list will contain the first one already.
  server.created(5, notification(5), 1)
  server.created(6, notification(6), 2)
  await eventually(() => expect(server.requestsOf('/inbox')).toHaveLength(1))
  answering.resolve()
  await eventually(() => expect(shown(inbox)).toEqual(['inapp_6', 'inapp_5', 'inapp_4']))
  expect(inbox.getState().unreadCount).toBe(2)
})

test('it resumes after the last event it has, and does not load the inbox again', async () => {
  const inbox = open()
  await stream(1)
  server.ready(false, 4)
  await eventually(() => expect(inbox.getState().status).toBe('live'))
  server.created(5, notification(5), 1)
  await eventually(() => expect(shown(inbox)).toEqual(['inapp_5']))
  server.streams[0]!.end()
  await stream(2)
  expect(server.requestsOf('/in-app/stream').map(({ lastEventId }) => lastEventId)).toEqual([undefined, '5'])
  expect(inbox.getState().status).toBe('reconnecting')
  server.ready(true, 6)
  // Repeated and new.
  server.created(5, notification(5), 7)
  server.created(6, notification(6), 2)
  await eventually(() => expect(shown(inbox)).toEqual(['inapp_6', 'inapp_5']))
  expect(inbox.getState()).toMatchObject({ status: 'live', unreadCount: 2 })
  expect(server.requestsOf('/inbox')).toHaveLength(1)
})

test('without recovery it loads the inbox again', async () => {
  const inbox = open()
  await stream(1)
  server.ready(false, 4)
  await eventually(() => expect(inbox.getState().status).toBe('live'))
  server.items = [notification(9)]
  server.streams[0]!.end()
  await stream(2)
  server.ready(false, 9)
  await eventually(() => expect(shown(inbox)).toEqual(['inapp_9']))
  server.created(10, notification(10), 1)
  await eventually(() => expect(shown(inbox)).toEqual(['inapp_10', 'inapp_9']))
})

test('a load that fails is tried again', async () => {
  let failures = 2
  server.answer = ({ path }, response) => {
    if (path !== '/inbox' || failures-- <= 0) return false
    response.writeHead(503).end()
    return true
  }
  const inbox = open()
  for (const count of [1, 2, 3]) {
    await stream(count)
    server.ready(false, 0)
  }
  await eventually(() => expect(inbox.getState()).toMatchObject({ status: 'live', isLoaded: true }))
})

test('an event ahead of the next one makes it ask for those in between', async () => {
  const inbox = open()
  await stream(1)
  server.ready(false, 4)
  await eventually(() => expect(inbox.getState().status).toBe('live'))
  server.created(7, notification(7), 1)
  await stream(2)
  expect(server.requestsOf('/in-app/stream')[1]!.lastEventId).toBe('4')
  expect(shown(inbox)).toEqual([])
})

test.each<[string, () => string]>([
  ['seconds', () => '1'],
  ['a date', () => new Date(Date.now() + 2000).toUTCString()],
])('it waits as long as the server asks, by retry: and by Retry-After in %s', async (_what, retryAfter) => {
  const startedMs = Date.now()
  server.answer = ({ path }, response) => {
    if (path !== '/in-app/stream' || server.requestsOf(path).length !== 2) return false
    response.writeHead(503, { 'retry-after': retryAfter() }).end()
    return true
  }
  open()
  await stream(1)
  server.streams[0]!.end('retry: 700\n\n')
  await stream(2)
  expect(Date.now() - startedMs).toBeGreaterThanOrEqual(1700)
})

test('a token that is refused is replaced once; refused again, the client stops until a reload is requested', async () => {
  const tokens: string[] = []
  const getToken = () => {
    tokens.push(tokenOf(user))
    return tokens.at(-1)!
  }
  let isOpen = false
  server.answer = (_request, response) => {
    if (isOpen) return false
    response.writeHead(401).end()
    return true
  }
  const inbox = open({ getToken })
  await eventually(() => expect(inbox.getState().status).toBe('denied'))
  expect(server.requests.map(({ token }) => token)).toEqual(tokens)
  expect(tokens).toHaveLength(2)
  isOpen = true
  inbox.reload()
  await stream(1)
  server.ready(false, 0)
  await eventually(() => expect(inbox.getState().status).toBe('live'))
})

test('an ending token is replaced before it is used, and a token of another user is not used', async () => {
  const tokens = [tokenOf(user, 5), tokenOf(user), tokenOf('somebody else'), tokenOf(user)]
  let asked = 0
  server.items = [notification(1)]
  server.unread = 1
  const inbox = open({ getToken: () => tokens[asked++]! })
  await stream(1)
  server.ready(false, 0)
  await eventually(() => expect(inbox.getState().status).toBe('live'))
  expect(server.requests.map(({ token }) => token)).toEqual([tokens[0], tokens[1]])
  server.answer = ({ path }, response) => path === '/in-app/stream' && !!response.writeHead(401).end()
  server.streams[0]!.end()
  await eventually(() => expect(inbox.getState().status).toBe('denied'))
  expect(server.requests.some(({ token }) => token === tokens[2])).toBe(false)
  // The other user sees nothing of it.
  expect(inbox.getState()).toMatchObject({ notifications: [], unreadCount: 0, isLoaded: false, hasMore: false })
  server.answer = () => false
  inbox.reload()
  await stream(2)
  server.ready(false, 0)
  await eventually(() => expect(shown(inbox)).toEqual(['inapp_1']))
})

test("a change with another user's token is refused, ends the stream and empties the inbox", async () => {
  const tokens = [tokenOf(user), tokenOf('somebody else')]
  server.items = [notification(1)]
  const inbox = open({ getToken: () => tokens.shift()! })
  await stream(1)
  server.ready(false, 0)
  await eventually(() => expect(shown(inbox)).toEqual(['inapp_1']))
  server.answer = (_request, response) => !!response.writeHead(401).end()
  await expect(inbox.markRead('inapp_1')).rejects.toMatchObject({ name: 'InboxError', status: 401 })
  expect(inbox.getState()).toMatchObject({ status: 'denied', notifications: [] })
  await eventually(() => expect(server.openStreams).toEqual([]))
})

test('a backend that gives no token is asked again', async () => {
  let asked = 0
  open({
    share: true,
    getToken: async () => {
      if (++asked < 3) throw new Error('the backend is away')
      return tokenOf(user)
    },
  })
  await stream(1)
  expect(asked).toBe(3)
})

test.each<[string, unknown]>([
  ['undefined', undefined],
  ['an empty text', ''],
  ['an error page', '<h1>Bad Gateway</h1>'],
])('a backend that gives %s instead of a new token is asked again', async (_what, failure) => {
  const tokens = [tokenOf(user, 5), tokenOf(user, 5), failure, tokenOf(user)]
  const inbox = open({ getToken: async () => tokens.shift() as string })
  await stream(1)
  server.ready(false, 0)
  await eventually(() => expect(inbox.getState().status).toBe('live'))
  server.streams[0]!.end()
  await stream(2)
  server.ready(true, 0)
  await eventually(() => expect(inbox.getState().status).toBe('live'))
  expect(tokens).toEqual([])
})

test('the stream is open while there are subscribers, and subscribing again resumes it', async () => {
  const inbox = open()
  await stream(1)
  server.ready(false, 3)
  await eventually(() => expect(inbox.getState().status).toBe('live'))
  inbox.close()
  // React in strict mode.
  const again = inbox.subscribe(() => {})
  again()
  await eventually(() => expect([server.openStreams.length, inbox.getState().status]).toEqual([0, 'idle']))
  opened.push(inbox.subscribe(() => {}))
  await stream(2)
  expect(server.requestsOf('/in-app/stream')[1]!.lastEventId).toBe('3')
})

test('deleting what is gone succeeds; any other refusal says why', async () => {
  const inbox = open()
  await stream(1)
  server.ready(false, 3)
  server.answer = ({ method }, response) => {
    if (method === 'GET') return false
    response.writeHead(404, { 'content-type': 'application/problem+json' }).end('{"detail":"There is none"}')
    return true
  }
  await inbox.remove('inapp_1')
  await expect(inbox.markRead('inapp_1')).rejects.toMatchObject({ status: 404, message: 'There is none' })
})

test('a change arrives although the page is left, as opening a notification does', async () => {
  const kept: [string | undefined, boolean | undefined][] = []
  const inbox = open({
    fetch: (url, init) => {
      kept.push([init?.method, init?.keepalive])
      return fetch(url, init)
    },
  })
  await stream(1)
  await inbox.markRead('inapp_1')
  await inbox.markAllRead()
  await inbox.remove('inapp_1')
  expect(kept).toEqual([
    ['GET', false],
    ['PATCH', true],
    ['POST', true],
    ['DELETE', true],
  ])
})

test('tabs share one stream, and all see what comes', async () => {
  server.items = [notification(1)]
  const tabs = [open({ share: true }), open({ share: true }), open({ share: true })]
  await stream(1)
  server.ready(false, 1)
  for (const tab of tabs)
    await eventually(() => expect(tab.getState()).toMatchObject({ status: 'live', isLoaded: true }))
  server.created(2, notification(2), 2)
  for (const tab of tabs) await eventually(() => expect(shown(tab)).toEqual(['inapp_2', 'inapp_1']))
  const late = open({ share: true })
  await eventually(() => expect(shown(late)).toEqual(['inapp_2', 'inapp_1']))
  expect([server.streams.length, server.requestsOf('/inbox').length]).toEqual([1, 1])
})

test('when the tab with the stream closes, another one takes over where it ended', async () => {
  const first = open({ share: true })
  await stream(1)
  server.ready(false, 1)
  await eventually(() => expect(first.getState().status).toBe('live'))
  const second = open({ share: true })
  await eventually(() => expect(second.getState().isLoaded).toBe(true))
  server.created(2, notification(2), 1)
  await eventually(() => expect(shown(second)).toEqual(['inapp_2']))
  first.close()
  await stream(2)
  expect(server.requestsOf('/in-app/stream')[1]!.lastEventId).toBe('2')
  server.ready(true, 3)
  server.created(3, notification(3), 2)
  await eventually(() => expect(shown(second)).toEqual(['inapp_3', 'inapp_2']))
  expect(shown(first)).toEqual(['inapp_2'])
})

test('a tab whose browser refuses it locks has its own stream, and asks for them once', async () => {
  let asked = 0
  // The page must get its turn again, also when the client asks on and on.
  const refuse = () =>
    ++asked > 100
      ? new Promise<never>(() => {})
      : Promise.reject(new DOMException('The request was denied.', 'SecurityError'))
  const locks = jest.spyOn(navigator.locks, 'request').mockImplementation(refuse)
  try {
    const inbox = open({ share: true })
    await stream(1)
    server.ready(false, 1)
    await eventually(() => expect(inbox.getState().status).toBe('live'))
    expect(asked).toBe(1)
  } finally {
    locks.mockRestore()
  }
})

test.each([true, false])(
  'a browser that is too old shows an inbox that cannot be loaded; sharing: %j',
  async (share) => {
    const logged = jest.spyOn(console, 'error').mockImplementation(() => {})
    const any = jest.spyOn(AbortSignal, 'any').mockImplementation(() => {
      throw new TypeError('AbortSignal.any is not a function')
    })
    try {
      const inbox = open({ share })
      await eventually(() => expect(inbox.getState().status).toBe('denied'))
      expect(logged.mock.calls).toEqual([[expect.any(TypeError)]])
    } finally {
      any.mockRestore()
      logged.mockRestore()
    }
  },
)

test('neither users nor the live and the test inbox of one user share a stream', async () => {
  open({ share: true })
  open({ share: true, getToken: () => tokenOf('somebody else') })
  open({ share: true, getToken: () => tokenOf(user, 3600, 'test') })
  await stream(3)
})

test('a tab that nobody answered when it joined asks for the inbox as soon as somebody leads', async () => {
  const name = `notify-inbox ${server.url} ${JSON.stringify(['t', 'a', 'live', user])}`
  const closing = Promise.withResolvers<void>()
  const channel = new BroadcastChannel(name)
  const hellos: string[] = []
  channel.onmessage = ({ data }) => data.kind === 'hello' && hellos.push(data.from)
  const held = Promise.withResolvers<void>()
  const leading = navigator.locks.request(name, () => {
    held.resolve()
    return closing.promise
  })
  try {
    await held.promise
    const inbox = open({ share: true })
    await eventually(() => expect(hellos).toHaveLength(1))
    // As a leader that resumes the stream: it tells its status, and loads nothing.
    channel.postMessage({ kind: 'status', status: 'live' })
    await eventually(() => expect(hellos).toHaveLength(2))
    expect(inbox.getState()).toMatchObject({ status: 'live', isLoaded: false })
    const contents = { notifications: [notification(1)], unreadCount: 1, nextCursor: null, seq: 1 }
    channel.postMessage({ kind: 'contents', contents, status: 'live', to: hellos[1] })
    await eventually(() => expect([inbox.getState().isLoaded, shown(inbox)]).toEqual([true, ['inapp_1']]))
    channel.postMessage({ kind: 'event', event: { event: 'notification.updated', id: 2, data: deleted(1) } })
    await eventually(() => expect(shown(inbox)).toEqual([]))
    expect(hellos).toHaveLength(2)
  } finally {
    channel.close()
    closing.resolve()
    await leading
  }
})

test('a notification that is deleted or read while the next page is loaded does not come back with it', async () => {
  const answering = Promise.withResolvers<void>()
  const first = { unread_count: 3, notifications: [notification(3)], next_cursor: 'c1' }
  const second = { unread_count: 3, notifications: [notification(2), notification(1)], next_cursor: null }
  server.answer = async ({ path }, response) => {
    if (!path.startsWith('/inbox')) return false
    const isFirst = path === '/inbox'
    if (!isFirst) await answering.promise
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(isFirst ? first : second))
    return true
  }
  const inbox = open()
  await stream(1)
  server.ready(false, 3)
  await eventually(() => expect(inbox.getState().status).toBe('live'))
  const loading = inbox.loadMore()
  await eventually(() => expect(server.requestsOf('/inbox?cursor=c1')).toHaveLength(1))
  server.updated(4, deleted(2))
  server.updated(5, { change: 'read_all', notification_id: null, notification: null, unread_count: 0 })
  server.created(6, notification(6), 1)
  await eventually(() => expect(shown(inbox)).toEqual(['inapp_6', 'inapp_3']))
  answering.resolve()
  await loading
  const state = inbox.getState()
  expect(state.notifications.map(({ id, is_read }) => [id, is_read])).toEqual([
    ['inapp_6', false],
    ['inapp_3', true],
    ['inapp_1', true],
  ])
  expect([state.unreadCount, state.hasMore]).toEqual([1, false])
})
