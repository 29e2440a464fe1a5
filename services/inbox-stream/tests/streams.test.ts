import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually, TestEnv } from '@notify/dev-env'
import { expectProblem, untilState } from '@notify/test-kit/api'
import { openSchema } from '@notify/test-kit/database'
import { freshUser, inbox, sendInApp, sendInAppUntilTaken, untilInbox, userToken } from '@notify/test-kit/inbox'
import { type Replica, startReplica } from '@notify/test-kit/processes'
import { eraseInboxes } from '../src/erasure/erasure-store.ts'
import { type EventReader, readEvents } from './read-events.ts'

const settings = { INBOX_RETENTION: '8d', USER_CHANGES_PER_SECOND: '10000' }
let env: TestEnv
let replica: Replica
/** Two streams on which nothing happens, from the beginning of the file. */
let quiet: EventReader[]
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'inbox-stream'], {
    apart: ['inbox-stream'],
    env: { all: settings },
  })
  replica = await startReplica(env, 'inbox-stream', settings)
  const token = await userToken(env, freshUser())
  quiet = [await readEvents(env, token), await readEvents(env, token, { base: env.stack.url('inbox-stream') })]
})
afterAll(async () => {
  for (const reader of quiet ?? []) reader.close()
  await replica?.end('SIGTERM')
  await env?.stop()
})

async function userWith(count: number) {
  const user = freshUser()
  const token = await userToken(env, user)
  for (let at = 0; at < count; at++) await sendInApp(env, user, { title: String(at) })
  const { notifications } = await untilInbox(env, token, count)
  return { user, token, ids: notifications.map(({ id }: { id: string }) => id) as string[] }
}

/** Without changed preferences, which repeat the last id. */
const idsOf = ({ events }: EventReader) =>
  events.filter(({ event }) => event !== 'preferences.changed').map(({ id }) => Number(id))
const own = () => ({ base: env.stack.url('inbox-stream') })
const mark = (url: string, token: string, id: string, is_read: boolean) =>
  fetch(`${url}/api/v1/inbox/${id}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ is_read }),
  })

test('a stream begins with connection.ready, and sends new and changed items with their ids', async () => {
  const user = freshUser()
  const token = await userToken(env, user)
  const stream = await readEvents(env, token)
  expect(stream.headers.get('content-type')).toBe('text/event-stream')
  expect(stream.headers.get('cache-control')).toBe('no-store, no-transform')
  expect(stream.headers.get('x-accel-buffering')).toBe('no')
  const [ready] = stream.events
  expect(ready).toEqual({
    id: '0',
    event: 'connection.ready',
    data: { connection_id: expect.stringMatching(/^con_/), recovered: false, head_id: 0, unread_count: 0 },
  })
  const id = await sendInApp(env, user, { title: 'One', data: { action_url: '/1' } })
  const [created] = await stream.until('notification.created')
  const { notifications } = (await inbox(env, token)).body
  expect(created).toEqual({
    id: '1',
    event: 'notification.created',
    data: { notification: notifications[0], unread_count: 1 },
  })
  await untilState(env, id, { delivery_status: 'delivered' })
  stream.close()
})

test('Last-Event-ID replays what was missed, and reports whether that is all', async () => {
  const { token } = await userWith(5)
  const resumed = await readEvents(env, token, { lastEventId: 2 })
  await resumed.until('notification.created', 3)
  expect(resumed.events[0]).toMatchObject({ id: '2', data: { recovered: true, head_id: 5, unread_count: 5 } })
  expect(idsOf(resumed)).toEqual([2, 3, 4, 5])
  resumed.close()
  const level = await readEvents(env, token, { lastEventId: 5 })
  expect(level.events[0]).toMatchObject({ id: '5', data: { recovered: true, head_id: 5 } })
  level.close()
  for (const lastEventId of ['6', '-1', 'abc', '1e1', '9'.repeat(300)]) {
    const stream = await readEvents(env, token, { lastEventId })
    expect(stream.events[0]).toMatchObject({ id: '5', data: { recovered: false, head_id: 5 } })
    stream.close()
  }
  await expect(readEvents(env, token, { lastEventId: '1'.repeat(10_240) })).rejects.toThrow(/answered 431/)
})

test("another user's Last-Event-ID brings only the own events", async () => {
  const [ada, bob] = [await userWith(3), await userWith(1)]
  for (const lastEventId of [0, 2, 3]) {
    const stream = await readEvents(env, bob.token, { lastEventId })
    await mark(own().base, ada.token, ada.ids[0]!, lastEventId % 2 === 0)
    await sendInApp(env, bob.user, { title: 'for Bob' })
    await stream.until('notification.created')
    const ids = stream.events.flatMap(({ data }) => data.notification?.id ?? [])
    expect(ids.filter((id: string) => ada.ids.includes(id))).toEqual([])
    stream.close()
  }
})

test('replay and live events meet without a gap or a repetition, 1,000 times', async () => {
  const { token, ids } = await userWith(2)
  let head = 2
  let isWriting = true
  const write = async (id: string, url: string) => {
    for (let isRead = true; isWriting; isRead = !isRead) {
      // On a busy machine one may wait too long for the lock of the inbox, and has done nothing.
      await eventually(async () => expect((await mark(url, token, id, isRead)).status).toBe(200))
      head += 1
    }
  }
  // Two writers through two replicas: what they publish may overtake each other.
  const writers = [write(ids[0]!, own().base), write(ids[1]!, replica.url)]
  let races = 0
  const race = async (at: number) => {
    while (races < 1000) {
      races += 1
      const from = Math.max(0, head - (races % 40))
      const stream = await readEvents(env, token, { lastEventId: from, base: at % 2 === 0 ? own().base : replica.url })
      const { head_id } = stream.events[0]!.data
      await eventually(() => expect(idsOf(stream).at(-1)).toBeGreaterThan(head_id + 3))
      const got = idsOf(stream)
      stream.close()
      expect(got).toEqual(Array.from({ length: got.length }, (_, place) => from + place))
    }
  }
  await Promise.all(Array.from({ length: 10 }, (_, at) => race(at)))
  isWriting = false
  await Promise.all(writers)
})

test('all tabs of a user hear the same', async () => {
  const user = freshUser()
  const token = await userToken(env, user)
  const tabs = await Promise.all(Array.from({ length: 20 }, () => readEvents(env, token)))
  for (let at = 0; at < 3; at++) await sendInApp(env, user)
  await Promise.all(tabs.map((tab) => tab.until('notification.created', 3)))
  for (const tab of tabs) expect(idsOf(tab)).toEqual([0, 1, 2, 3])
  for (const tab of tabs) tab.close()
})

test.each(['application/json', 'text/html', 'text/event-stream;q=0'])('Accept: %s is 406', async (accept) => {
  const token = await userToken(env, 'ada')
  expectProblem(await env.api('GET', '/api/v1/in-app/stream', { token, headers: { accept } }), 406, 'not_acceptable')
})

test('an event that the bus lost is read from Postgres, also when none follows it', async () => {
  const { token, ids } = await userWith(1)
  const streams = [await readEvents(env, token, own()), await readEvents(env, token, { base: replica.url })]
  await env.kill('nats')
  expect((await mark(own().base, token, ids[0]!, true)).status).toBe(200)
  await Promise.all(streams.map((stream) => stream.until('notification.updated')))
  const late = await readEvents(env, token, { ...own(), lastEventId: 1 })
  await late.until('notification.updated')
  await env.restart('nats')
  await mark(replica.url, token, ids[0]!, false)
  for (const stream of [...streams, late]) {
    await stream.until('notification.updated', 2)
    expect(idsOf(stream).slice(1)).toEqual([2, 3])
    stream.close()
  }
})

test('a quiet stream gets a heartbeat with the last id every 15 s, through the gateway and without', async () => {
  const heartbeat = /id: 0\nevent: heartbeat\ndata: \{\}\n\n/
  await eventually(() => expect(quiet.map((reader) => heartbeat.test(reader.text()))).toEqual([true, true]), {
    timeoutMs: 25_000,
  })
})

test('a restart sends readers the time to reconnect, and they miss nothing', async () => {
  const { user, token } = await userWith(1)
  const stream = await readEvents(env, token, { lastEventId: 0, ...own() })
  await stream.until('notification.created')
  await env.stack.stopProcess('inbox-stream')
  await stream.untilEnd()
  expect(stream.text()).toMatch(/retry: \d{4,5}\n\n$/)
  await sendInApp(env, user)
  await env.restart('inbox-stream')
  const resumed = await readEvents(env, token, { lastEventId: 1 })
  await resumed.until('notification.created')
  expect(idsOf(resumed)).toEqual([1, 2])
  resumed.close()
})

test('events older than the retention are deleted, and a stream that missed them is informed', async () => {
  const { user, token, ids } = await userWith(3)
  await mark(own().base, token, ids[2]!, true)
  const sql = env.sql('inbox-stream')
  const old = `now() - interval '9 days'`
  await sql.query(`update inbox_items set created_at = ${old} where id = any($1)`, [ids.slice(1)])
  await sql.query(`update inbox_events set occurred_at = ${old} where item_id = any($1) and kind = 'created'`, [
    ids.slice(1),
  ])
  await env.stack.stopProcess('inbox-stream')
  await env.restart('inbox-stream')
  const { notifications, unread_count } = await untilInbox(env, token, 1)
  expect([notifications[0].id, unread_count]).toEqual([ids[0], 1])
  await eventually(async () => {
    const tooOld = await readEvents(env, token, { lastEventId: 1 })
    tooOld.close()
    expect(tooOld.events[0]!.data).toMatchObject({ recovered: false, head_id: 4, unread_count: 1 })
  })
  const kept = await readEvents(env, token, { lastEventId: 2 })
  await sendInApp(env, user)
  await kept.until('notification.created', 2)
  expect(idsOf(kept)).toEqual([2, 3, 4, 5])
  kept.close()
})

test('the streams of an erased inbox end when it begins again, and resumed ones are informed', async () => {
  const { user, token, ids } = await userWith(3)
  const streams = [await readEvents(env, token, own()), await readEvents(env, token, { base: replica.url })]
  const sql = env.sql('inbox-stream')
  const [{ inbox_key }] = (await sql.query('select inbox_key from inbox_items where id = $1', [ids[0]])).rows
  const { db, kit } = await openSchema(env, 'inbox-stream')
  while ((await eraseInboxes(db, [inbox_key])) > 0);
  await kit.stop()
  await sendInApp(env, user)
  for (const stream of streams) await stream.untilEnd()
  const resumed = await readEvents(env, token, { lastEventId: 3 })
  expect(resumed.events[0]).toMatchObject({ id: '1', data: { recovered: false, head_id: 1, unread_count: 1 } })
  resumed.close()
})

test('streams at every replica receive what any of them writes; when one is killed, the other goes on without a gap', async () => {
  const { user, token, ids } = await userWith(1)
  const [here, there] = [await readEvents(env, token, own()), await readEvents(env, token, { base: replica.url })]
  await mark(own().base, token, ids[0]!, true)
  await mark(replica.url, token, ids[0]!, false)
  await Promise.all([here, there].map((stream) => stream.until('notification.updated', 2)))
  await replica.end('SIGKILL')
  await there.untilEnd()
  await Promise.all(Array.from({ length: 10 }, () => sendInAppUntilTaken(env, user)))
  const resumed = await readEvents(env, token, { ...own(), lastEventId: idsOf(there).at(-1)! })
  await resumed.until('notification.created', 10)
  await here.until('notification.created', 10)
  expect([...idsOf(there), ...idsOf(resumed).slice(1)].filter((id) => id > 0)).toEqual(
    Array.from({ length: 12 }, (_, at) => at + 2),
  )
  expect(idsOf(here).slice(1)).toEqual(idsOf(there).slice(1).concat(idsOf(resumed).slice(1)))
  here.close()
  resumed.close()
})
