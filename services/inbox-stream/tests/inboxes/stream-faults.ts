import { get, type IncomingMessage } from 'node:http'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { eventually, type FaultProxy, startFaultProxy } from '@notify/dev-env'
import { freshUser, sendInApp, untilInbox, userToken } from '@notify/test-kit/inbox'
import { type Replica, startReplica } from '@notify/test-kit/processes'
import { type EventReader, readEvents } from '../read-events.ts'
import { env } from './stack.ts'

let database: FaultProxy
/** Reaches Postgres by way of the proxy. */
let replica: Replica
beforeAll(async () => {
  const url = env.stack.databaseUrl('inbox-stream')
  database = await startFaultProxy(() => url)
  replica = await startReplica(env, 'inbox-stream', { DATABASE_URL: database.via(url), MIGRATE_ON_START: 'false' })
})
afterEach(() => database.recover())
afterAll(async () => {
  await replica?.end('SIGTERM')
  await database?.stop()
})

const here = () => env.stack.url('inbox-stream')
/** Without changed preferences, which repeat the last id. */
const idsOf = ({ events }: EventReader) =>
  events.filter(({ event }) => event !== 'preferences.changed').map(({ id }) => Number(id))
const oneTo = (last: number) => Array.from({ length: last }, (_, at) => at + 1)
/** Repeated on a busy machine, where one may wait too long: a repetition that changes nothing makes no event. */
const mark = (token: string, id: string, is_read: boolean) =>
  eventually(async () => {
    const response = await fetch(`${here()}/api/v1/inbox/${id}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ is_read }),
    })
    expect(response.status).toBe(200)
  })

async function userWithOne(fields: object = {}) {
  const user = freshUser()
  const token = await userToken(env, user)
  await sendInApp(env, user, fields)
  const { notifications } = await untilInbox(env, token, 1)
  return { token, id: notifications[0].id as string }
}

test('a stream goes on while its replica cannot reach Postgres, and gets what the bus loses meanwhile afterwards', async () => {
  const { token, id } = await userWithOne()
  const stream = await readEvents(env, token, { base: replica.url, lastEventId: 0 })
  await stream.until('notification.created')
  database.hold()
  await mark(token, id, true)
  await mark(token, id, false)
  await stream.until('notification.updated', 2)
  await env.kill('nats')
  await mark(token, id, true)
  await env.restart('nats')
  await mark(token, id, false)
  await database.recover()
  await stream.until('notification.updated', 4)
  expect(idsOf(stream).slice(1)).toEqual(oneTo(5))
  expect(stream.isOver()).toBe(false)
  stream.close()
})

test('a reader that takes nothing is closed at 1 MiB; the others get everything, and so does it when it comes back', async () => {
  const { token, id } = await userWithOne({ data: { text: 'x'.repeat(30_000) } })
  const reading = await readEvents(env, token, { base: here(), lastEventId: 1 })
  const slow = await new Promise<IncomingMessage>((resolve) => {
    const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream', 'last-event-id': '1' }
    get(`${here()}/api/v1/in-app/stream`, { headers }, resolve)
  })
  slow.on('error', () => {})
  // A reader that fell behind and is caught up from Postgres is closed as stalled: it is sent nothing that it does not take.
  const closed = async () => {
    const metrics = await (await fetch(env.stack.metricsUrls['inbox-stream']!)).text()
    const counts = metrics.matchAll(/^http_server_streams_closed_total\{reason="(?:slow|stalled)"\} (\d+)/gm)
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0)
  }
  const before = await closed()
  const isClosed = async () => (await closed()) > before
  let marks = 0
  // The kernel takes some megabytes by itself.
  while (marks < 600 && !(await isClosed())) {
    for (let at = 0; at < 20; at++) {
      marks += 1
      await mark(token, id, marks % 2 === 1)
    }
  }
  await eventually(async () => expect(await isClosed()).toBe(true))
  await reading.until('notification.updated', marks)
  expect(idsOf(reading)).toEqual(oneTo(marks + 1))
  const resumed = await readEvents(env, token, { base: replica.url, lastEventId: 1 })
  await resumed.until('notification.updated', marks)
  expect(idsOf(resumed)).toEqual(oneTo(marks + 1))
  for (const stream of [reading, resumed]) stream.close()
  slow.destroy()
})
