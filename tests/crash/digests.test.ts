import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { eventually, TestEnv } from '@notify/dev-env'
import { postUntilTaken } from '@notify/test-kit/api'
import { attemptsAgreeIn } from '@notify/test-kit/database'
import { type Replica, startReplica } from '@notify/test-kit/processes'
import { freshPhone } from '@notify/test-kit/sms'

/** `DIGEST_ROUNDS=50 npm test -- tests/crash/digests.test.ts` runs more of them. */
const rounds = Number(process.env.DIGEST_ROUNDS ?? 3)
const sends = 100
const quick = { DIGEST_LEASE: '1s', UNKNOWN_GRACE: '1s', SEND_RETRY_DELAYS: '500ms,1s,2s' }

let env: TestEnv
let replica: Replica
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks'], {
    apart: ['dispatch-worker'],
    env: { all: { LOG_LEVEL: 'warn' }, 'dispatch-worker': quick },
  })
})
afterAll(async () => {
  await replica?.end('SIGKILL')
  await env?.stop()
})
afterEach(() => attemptsAgreeIn(env))

const query = async (text: string, values: unknown[]) => (await env.sql('dispatch').query(text, values)).rows

async function addEvent(): Promise<string> {
  const event_key = `digest.${crypto.randomUUID()}`
  const { status } = await env.api('POST', `/api/v1/applications/${env.applicationId}/events`, {
    token: env.operatorToken,
    body: {
      ...{ event_key, name: 'News', status: 'published', allowed_channels: ['sms'] },
      templates: { sms: { body: 'total={{ total }}' } },
      digest: { window: { seconds: 3600 }, show: 100 },
    },
  })
  expect(status).toBe(201)
  return event_key
}

const timePasses = (event_key: string) =>
  query('update digests set closes_at = now(), due_at = now() where event_key = $1 and is_open', [event_key])

/** Kills every worker soon after one of them has begun to close a digest. */
async function killAtClose(event_key: string): Promise<void> {
  for (let look = 0; look < 200; look++) {
    const closing = await query('select from digests where event_key = $1 and not is_open', [event_key])
    if (closing.length > 0) break
  }
  await delay(Math.random() * 40)
  await Promise.all([env.kill('dispatch-worker'), replica.end('SIGKILL')])
}

test(`workers are killed at the close while ${sends} sends join: each item is in one digest, each digest is one message, and the totals add up`, async () => {
  replica = await startReplica(env, 'dispatch-worker', quick)
  for (let round = 0; round < rounds; round++) {
    const [event_key, phone] = [await addEvent(), freshPhone()]
    let answered = 0
    const send = async (at: number) => {
      await delay(Math.random() * 1500)
      const body = { channel: 'sms', recipient: { phone }, event_key, data: { at } }
      // A busy machine may lock a digest for longer than a request waits.
      const answer = await postUntilTaken(env, '/api/v1/notifications', body)
      answered += 1
      return [answer.status, answer.body.detail, answer.body.notification_id]
    }
    const sent = Promise.all(Array.from({ length: sends }, (_, at) => send(at)))
    // Digests close all the time, so that items come between each step of a close.
    const closing = (async () => {
      for (; answered < sends; await delay(10)) await timePasses(event_key)
    })()
    const closeAfter = Math.ceil(Math.random() * sends)
    await eventually(() => expect(answered).toBeGreaterThanOrEqual(closeAfter), { intervalMs: 1 })
    await killAtClose(event_key)
    const accepted = await sent
    await closing
    expect(new Set(accepted.map(([status]) => status))).toEqual(new Set([202]))
    await Promise.all([
      env.restart('dispatch-worker'),
      startReplica(env, 'dispatch-worker', quick).then((started) => (replica = started)),
    ])
    await eventually(
      async () => {
        await timePasses(event_key)
        expect(await query('select from digests where event_key = $1', [event_key])).toEqual([])
      },
      { timeoutMs: 60_000, intervalMs: 100 },
    )
    await theyAddUp(
      accepted.map(([, , id]) => id),
      phone,
    )
  }
}, 1_800_000)

async function theyAddUp(ids: readonly string[], phone: string): Promise<void> {
  const items = await query(
    `select digest_id, count(*)::int as items from notifications
     where id = any ($1) and status = 'cancelled' and failure_reason = 'digested' group by 1`,
    [ids],
  )
  expect(items.reduce((sum, one) => sum + one.items, 0)).toBe(sends)
  const expected = new Map(items.map((one) => [one.digest_id as string, one.items as number]))
  const messages = await eventually(
    async () => {
      const found = await query(
        'select id, digest_id, status from notifications where digest_id = any ($1) and not id = any ($2)',
        [[...expected.keys()], ids],
      )
      expect(found.map(({ status }) => status)).toEqual(found.map(() => 'delivered'))
      return found
    },
    { timeoutMs: 60_000 },
  )
  expect(messages.map(({ digest_id }) => digest_id).sort()).toEqual([...expected.keys()].sort())
  const digestOf = new Map(messages.map(({ id, digest_id }) => [id as string, digest_id as string]))
  // A worker that dies in a carrier call leaves an unknown outcome: its message may arrive again.
  const arrived = new Map(
    (await env.messages({ to: phone, limit: '1000' })).map(({ text, request }) => {
      const callback = new URL((request.body as { StatusCallback: string }).StatusCallback)
      return [digestOf.get(callback.searchParams.get('notification_id')!)!, Number(text.replace('total=', ''))]
    }),
  )
  expect(arrived).toEqual(expected)
}
