import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { eventually, TestEnv } from '@notify/dev-env'
import { becomeDue, inAnHour, untilState } from '@notify/test-kit/api'
import { openBus, type StoredMessage } from '@notify/test-kit/bus'
import { freshUser, inbox, sendInAppUntilTaken, untilInbox, userToken } from '@notify/test-kit/inbox'
import { type Replica, startReplica } from '@notify/test-kit/processes'
import { handOffsOf } from './hand-offs.ts'
import { type EventReader, readEvents } from './read-events.ts'

let env: TestEnv
let replica: Replica | undefined
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'inbox-stream'], {
    apart: ['inbox-stream', 'dispatch-worker'],
    env: { 'dispatch-worker': { STALLED_AFTER: '1s' } },
  })
})
afterAll(async () => {
  await replica?.end('SIGKILL')
  await env?.stop()
})

const titles = (from: number, count: number) => Array.from({ length: count }, (_, at) => `n${from + at}`)

/** Sends notifications to a user, each after the answer to the last. @returns their ids */
async function sendAll(user: string, all: readonly string[], fields: object = {}): Promise<string[]> {
  const ids: string[] = []
  for (const title of all) ids.push(await sendInAppUntilTaken(env, user, { title, ...fields }))
  return ids
}

const listed = async (token: string) => {
  const { notifications } = (await inbox(env, token, '?limit=100')).body
  return (notifications as { title: string }[]).map(({ title }) => title).reverse()
}
const shown = ({ events }: EventReader) =>
  events.flatMap(({ event, data }) => (event === 'notification.created' ? [data.notification.title as string] : []))

/** Takes hand-offs off the stream while nobody consumes them, and publishes some as the bus might deliver them. */
async function redeliver(
  ids: readonly string[],
  as: (handOffs: StoredMessage[]) => StoredMessage[],
  killed?: 'dispatch-worker',
): Promise<void> {
  await using bus = await openBus(env)
  const handOffs = await handOffsOf(bus, ids)
  if (killed) await env.kill(killed)
  await bus.jsm.streams.purge('DISPATCH', { filter: 'dispatch.inbox.>' })
  for (const { subject, text } of as(handOffs)) await bus.js.publish(subject, text, { msgID: newId('msg') })
}

test('notifications of a user appear in the order of their acceptance, whatever the order in which the bus delivers them', async () => {
  const user = freshUser()
  const token = await userToken(env, user)
  await sendAll(user, titles(0, 1))
  await untilInbox(env, token, 1)
  await env.kill('inbox-stream')
  const ids = await sendAll(user, titles(1, 10))
  // The last comes first, and some come twice.
  await redeliver(ids, (handOffs) => [...handOffs.toReversed(), handOffs[4]!, handOffs[9]!])
  await env.restart('inbox-stream')
  const stream = await readEvents(env, token, { lastEventId: 1 })
  await stream.until('notification.created', 10)
  expect(shown(stream)).toEqual(titles(1, 10))
  expect(await listed(token)).toEqual(titles(0, 11))
  stream.close()
  for (const id of ids) await untilState(env, id, { delivery_status: 'delivered' })
})

test('one that cannot be read delays what was accepted after it for a while, and no other user', async () => {
  const [user, other] = [freshUser(), freshUser()]
  const [token, others] = [await userToken(env, user), await userToken(env, other)]
  await env.kill('inbox-stream')
  const [broken, later] = await sendAll(user, titles(0, 2))
  const [free] = await sendAll(other, titles(0, 1))
  await env.sql('dispatch').query(`update notifications set payload = 'unreadable' where id = $1`, [broken])
  await redeliver([later!, free!], (handOffs) => handOffs)
  await env.restart('inbox-stream')
  await untilInbox(env, others, 1)
  await eventually(async () => {
    const { rows } = await env.sql('inbox-stream').query('select notification_id from waiting_items')
    expect(rows).toEqual([{ notification_id: later }])
  })
  expect(await listed(token)).toEqual([])
  // As when it had waited for that long.
  await env
    .sql('dispatch')
    .query(`update notifications set created_at = created_at - interval '5 minutes' where id = $1`, [later])
  expect((await untilInbox(env, token, 1)).notifications[0].title).toBe('n1')
  await untilState(env, later!, { delivery_status: 'delivered' })
})

test('urgent notifications pass a campaign: order holds within each priority', async () => {
  const user = freshUser()
  const token = await userToken(env, user)
  await env.kill('inbox-stream')
  const bulk = await sendAll(user, titles(2, 2), { priority: 'bulk' })
  const urgent = await sendAll(user, titles(0, 2))
  // Without the first of the campaign, which only dispatch can hand over again.
  await redeliver([...bulk, ...urgent], (handOffs) => handOffs.slice(1).toReversed(), 'dispatch-worker')
  await env.restart('inbox-stream')
  await untilInbox(env, token, 2)
  expect(await listed(token)).toEqual(titles(0, 2))
  await env.restart('dispatch-worker')
  await untilInbox(env, token, 4)
  expect(await listed(token)).toEqual(titles(0, 4))
})

test('a scheduled notification takes its place in the order when it is due', async () => {
  const user = freshUser()
  const token = await userToken(env, user)
  const [last] = await sendAll(user, titles(2, 1), { send_at: inAnHour() })
  const [next] = await sendAll(user, titles(1, 1), { send_at: inAnHour() })
  await sendAll(user, titles(0, 1))
  for (const id of [next!, last!]) await becomeDue(env, id)
  await untilInbox(env, token, 3)
  expect(await listed(token)).toEqual(titles(0, 3))
})

test('the order holds with two replicas of inbox-stream, and over kills of it and of those that publish', async () => {
  replica = await startReplica(env, 'inbox-stream')
  const users = Array.from({ length: 4 }, freshUser)
  const tokens = await Promise.all(users.map((user) => userToken(env, user)))
  const streams = await Promise.all(tokens.map((token) => readEvents(env, token, { base: replica!.url })))
  const sending = Promise.all(users.map((user) => sendAll(user, titles(0, 60))))
  for (const name of ['inbox-stream', 'dispatch-worker'] as const) {
    await eventually(() => expect(shown(streams[0]!).length).toBeGreaterThan(name === 'inbox-stream' ? 10 : 20))
    await env.kill(name)
    await env.restart(name)
  }
  await sending
  for (const [at, stream] of streams.entries()) {
    await stream.until('notification.created', 60)
    expect(shown(stream)).toEqual(titles(0, 60))
    expect(await listed(tokens[at]!)).toEqual(titles(0, 60))
    stream.close()
  }
})
