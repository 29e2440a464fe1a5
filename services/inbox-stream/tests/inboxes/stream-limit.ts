import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { freshUser, userToken } from '@notify/test-kit/inbox'
import { type Replica, startReplica } from '@notify/test-kit/processes'
import { readEvents } from '../read-events.ts'
import { env } from './stack.ts'

let replica: Replica
beforeAll(async () => {
  // With one database connection: opening and counting must not need a second one.
  replica = await startReplica(env, 'inbox-stream', { DATABASE_POOL_SIZE: '1' })
})
afterAll(async () => {
  await replica?.end('SIGTERM')
})

const here = () => env.stack.url('inbox-stream')
const openMany = (count: number, token: string, base: string) =>
  Promise.all(Array.from({ length: count }, () => readEvents(env, token, { base })))
const tooMany = /answered 429.*rate_limited/

/** The answer to a stream that is too many has a Retry-After. One whose count could not be stored is counted seconds later. */
async function expectRefused(token: string, base: string): Promise<void> {
  const headers = { accept: 'text/event-stream', authorization: `Bearer ${token}` }
  const response = await fetch(`${base}/api/v1/in-app/stream`, { headers })
  await response.body?.cancel()
  expect(response.status).toBe(429)
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
}

test('a 21st stream of a user is 429 at every replica, wherever the other twenty are', async () => {
  const token = await userToken(env, freshUser())
  const streams = [...(await openMany(10, token, here())), ...(await openMany(10, token, replica.url))]
  await eventually(() => expectRefused(token, here()))
  await eventually(() => expectRefused(token, replica.url))
  streams.pop()!.close()
  const next = await eventually(() => readEvents(env, token, { base: here() }))
  await eventually(() => expectRefused(token, replica.url))
  for (const stream of [...streams, next]) stream.close()
})

test('of many streams that come at once to one replica, twenty are opened', async () => {
  const token = await userToken(env, freshUser())
  const opened = await Promise.allSettled(
    Array.from({ length: 30 }, () => readEvents(env, token, { base: replica.url })),
  )
  const refusals = opened.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []))
  expect(refusals).toEqual(Array.from({ length: 10 }, () => expect.stringMatching(tooMany)))
  for (const result of opened) if (result.status === 'fulfilled') result.value.close()
})

test('a user who changes something in a loop is answered 429 for a while, and nobody else is', async () => {
  const [looping, other] = [await userToken(env, freshUser()), await userToken(env, freshUser())]
  const readAll = async (token: string) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const answer = await fetch(`${replica.url}/api/v1/inbox/read-all`, { method: 'POST', headers, body: '{}' })
    await answer.text()
    return [answer.status, answer.headers.get('retry-after')]
  }
  const answers = await Promise.all(Array.from({ length: 500 }, () => readAll(looping)))
  // 503 have waited too long behind the others.
  expect(answers.filter(([status]) => status !== 429).length).toBeGreaterThanOrEqual(100)
  expect(answers).toContainEqual([429, '1'])
  expect(await readAll(other)).toEqual([200, null])
  await eventually(async () => expect(await readAll(looping)).toEqual([200, null]))
})

test('streams are opened when they cannot be counted, and count again afterwards', async () => {
  const token = await userToken(env, freshUser())
  const sql = env.sql('inbox-stream')
  await sql.query('alter table open_streams rename to away')
  const streams = [...(await openMany(20, token, replica.url)), ...(await openMany(1, token, here()))]
  // One replica knows its own twenty without the other replicas.
  await eventually(() => expectRefused(token, replica.url))
  await sql.query('alter table away rename to open_streams')
  streams.pop()!.close()
  await eventually(() => expectRefused(token, here()))
  for (const stream of streams) stream.close()
})

test('counts that a crash of Postgres emptied are there again', async () => {
  const token = await userToken(env, freshUser())
  const streams = await openMany(20, token, replica.url)
  await env.sql('inbox-stream').query('truncate open_streams, stream_replicas')
  await eventually(() => expectRefused(token, here()))
  for (const stream of streams) stream.close()
})

test('streams of a replica that was killed stop counting', async () => {
  const token = await userToken(env, freshUser())
  await openMany(20, token, replica.url)
  await eventually(() => expectRefused(token, here()))
  await replica.end('SIGKILL')
  const next = await eventually(() => readEvents(env, token, { base: here() }))
  next.close()
})
