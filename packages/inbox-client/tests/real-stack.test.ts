import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { InboxNotification } from '@notify/contracts'
import { eventually, TestEnv } from '@notify/dev-env'
import { freshUser, sendInAppUntilTaken, userToken } from '@notify/test-kit/inbox'
import { createInbox } from '../src/index.ts'

let env: TestEnv
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'inbox-stream'], { apart: ['inbox-stream'] })
})
afterAll(() => env?.stop())

test('in Node, two clients of a user follow the inbox of the real services, and change it', async () => {
  const user = freshUser()
  const made = () =>
    createInbox({ url: env.stack.url('gateway'), getToken: () => userToken(env, user), delays: { maxMs: 500 } })
  const [one, two] = [made(), made()]
  const stops = [one, two].map((inbox) => inbox.subscribe(() => {}))
  try {
    for (const inbox of [one, two]) await eventually(() => expect(inbox.getState().status).toBe('live'))
    for (const title of ['First', 'Second']) {
      await sendInAppUntilTaken(env, user, { title, data: { action_url: '/orders/1' } })
      await eventually(() => expect(two.getState().notifications[0]?.title).toBe(title))
    }
    const [second, first] = two.getState().notifications
    expect(InboxNotification.parse(first)).toEqual(first)
    const marking = two.markRead(first!.id)
    expect(two.getState().unreadCount).toBe(1)
    await marking
    await eventually(() => expect(one.getState().unreadCount).toBe(1))
    await one.markAllRead()
    await eventually(() => expect(two.getState().notifications.every(({ is_read }) => is_read)).toBe(true))
    await one.remove(second!.id)
    await eventually(() => expect(two.getState().notifications.map(({ id }) => id)).toEqual([first!.id]))
    await env.kill('inbox-stream')
    await sendInAppUntilTaken(env, user, { title: 'Meanwhile' })
    await env.restart('inbox-stream')
    for (const inbox of [one, two]) {
      await eventually(() => expect(inbox.getState()).toMatchObject({ status: 'live', unreadCount: 1 }))
    }
    expect(two.getState().notifications.map(({ title }) => title)).toEqual(['Meanwhile', 'First'])
  } finally {
    for (const stop of stops) stop()
  }
})

test('older notifications are loaded when they are asked for', async () => {
  const user = freshUser()
  const inbox = createInbox({ url: env.stack.url('gateway'), getToken: () => userToken(env, user) })
  const titles = Array.from({ length: 27 }, (_, at) => `Number ${at}`)
  await Promise.all(titles.map((title) => sendInAppUntilTaken(env, user, { title })))
  const count = async () =>
    (await env.api('GET', '/api/v1/inbox/unread-count', { token: await userToken(env, user) })).body
  await eventually(async () => expect(await count()).toEqual({ unread_count: 27 }))
  const stop = inbox.subscribe(() => {})
  try {
    await eventually(() => expect(inbox.getState()).toMatchObject({ isLoaded: true, hasMore: true, unreadCount: 27 }))
    await eventually(async () => {
      while (inbox.getState().hasMore) await inbox.loadMore()
    })
    const { notifications } = inbox.getState()
    expect(notifications.map(({ title }) => title).sort()).toEqual([...titles].sort())
  } finally {
    stop()
  }
})
