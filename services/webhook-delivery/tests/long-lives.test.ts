import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { endpointWakeSubject } from '@notify/contracts'
import { eventually, TestEnv } from '@notify/dev-env'
import { verifyWebhook } from '@notify/sdk'
import { asOperator, post, postUntilTaken } from '@notify/test-kit/api'
import { openBus, storedMessages } from '@notify/test-kit/bus'
import { startReplica } from '@notify/test-kit/processes'
import { deliveriesOf, freshPath, received, subscribe, untilDelivery, untilReceived } from '@notify/test-kit/webhooks'
import { storeDeliveries } from './stored-deliveries.ts'

const hourMs = 3_600_000

let env: TestEnv
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'webhook-delivery'], {
    apart: ['webhook-delivery'],
    env: { 'webhook-delivery': { WEBHOOK_RETRY_DELAYS: '50ms', WEBHOOK_REPLAY_RATE: '10', WEBHOOK_TIMEOUT: '10s' } },
  })
})
afterAll(() => env?.stop())

const operator = (method: string, path: string, body?: unknown) =>
  asOperator(env, method, path, body === undefined ? {} : { body })
const pathOf = (subscriptionId: string) => `/api/v1/webhook-subscriptions/${subscriptionId}`

/** Lets time pass for one row: the clock is that of Postgres. */
const rewind = (sql: string, id: string) => env.sql('webhook-delivery').query(sql, [id])

const exhausted = async (subscriptionId: string) =>
  (await deliveriesOf(env, subscriptionId, '?status=exhausted&limit=100')).length

test('an endpoint that fails for five days is disabled, which is published; test events and another address count otherwise', async () => {
  const { subscription_id } = await subscribe(env, freshPath('500'))
  const state = async () => (await operator('GET', pathOf(subscription_id))).body
  const fail = async () => {
    const before = await exhausted(subscription_id)
    await storeDeliveries(env, [subscription_id], 1)
    await eventually(async () => expect(await exhausted(subscription_id)).toBe(before + 1))
  }
  const fiveDaysPass = () =>
    rewind(`update endpoints set failing_since = failing_since - interval '5 days' where id = $1`, subscription_id)
  await fail()
  expect(await state()).toMatchObject({ status: 'active', failing_since: expect.any(String) })

  const { url } = await state()
  const same = await operator('PATCH', pathOf(subscription_id), { url, description: 'Failing' })
  expect(same.body).toMatchObject({ failing_since: expect.any(String) })
  // Failures of one address do not count for another.
  const moved = await operator('PATCH', pathOf(subscription_id), { url: env.stack.receiverUrl + freshPath('500') })
  expect(moved.body).toMatchObject({ failing_since: null })
  await fail()
  await fiveDaysPass()
  const tested = await operator('POST', `${pathOf(subscription_id)}/test`)
  await untilDelivery(env, subscription_id, { delivery_id: tested.body.delivery_id, status: 'exhausted' })
  expect(await state()).toMatchObject({ status: 'active' })

  await storeDeliveries(env, [subscription_id], 1)
  await eventually(async () => expect(await state()).toMatchObject({ status: 'disabled', disabled_reason: 'failing' }))
  await using bus = await openBus(env)
  await eventually(async () => {
    const facts = (await storedMessages(bus, ['webhook-delivery']))
      .filter(({ subject }) => subject === 'webhooks.subscription.changed')
      .flatMap(({ text }) => JSON.parse(text) as { event: object }[])
    expect(facts).toContainEqual({
      ...facts[0],
      event: expect.objectContaining({ subscription_id, status: 'disabled', reason: 'failing', actor: null }),
    })
  })
  const enabled = await operator('PATCH', pathOf(subscription_id), { status: 'active' })
  expect(enabled.body).toMatchObject({ status: 'active', disabled_reason: null, failing_since: null })
})

test('a rotated secret signs for 24 hours beside the new one, and not longer', async () => {
  const path = freshPath('ok')
  const { secret, subscription_id, provider_id } = await subscribe(env, path)
  const { body: rotated } = await operator('POST', `${pathOf(subscription_id)}/rotate-secret`)
  const validMs = Date.parse(rotated.previous_valid_until) - Date.now()
  expect(validMs).toBeGreaterThan(24 * hourMs - 60_000)
  expect(validMs).toBeLessThanOrEqual(24 * hourMs + 60_000)
  await operator('POST', `${pathOf(subscription_id)}/test`)
  const [both] = await untilReceived(env, path, 1)
  for (const one of [secret, rotated.secret]) expect(verifyWebhook(both!.headers, both!.body, one)).toBeTruthy()
  await rewind(`update providers set previous_until = previous_until - interval '24 hours' where id = $1`, provider_id)
  await operator('POST', `${pathOf(subscription_id)}/test`)
  const last = (await untilReceived(env, path, 2)).at(-1)!
  expect(last.headers['x-svc-signature']).toMatch(/^v1=[0-9a-f]{64}$/)
  expect(verifyWebhook(last.headers, last.body, rotated.secret)).toBeTruthy()
  expect(() => verifyWebhook(last.headers, last.body, secret)).toThrow()
})

test('a replay that is killed midway continues where it stopped, skips none and repeats none', async () => {
  // Nine seconds' worth: the process is killed within the first ones.
  const count = 90
  const since = new Date().toISOString()
  const { subscription_id } = await subscribe(env, freshPath('500'))
  await storeDeliveries(env, [subscription_id], count)
  await eventually(async () => expect(await exhausted(subscription_id)).toBe(count))
  const path = freshPath('ok')
  await operator('PATCH', pathOf(subscription_id), { url: env.stack.receiverUrl + path })
  const asked = await operator('POST', `${pathOf(subscription_id)}/replay`, { since })
  expect([asked.status, asked.body.count]).toEqual([202, count])
  await untilReceived(env, path, 5)
  await env.kill('webhook-delivery')
  const { rows } = await env
    .sql('webhook-delivery')
    .query('select replayed, finished_at from replays where subscription_id = $1', [subscription_id])
  expect(rows[0].finished_at).toBeNull()
  expect(rows[0].replayed).toBeLessThan(count)
  await env.restart('webhook-delivery')
  await eventually(async () => {
    const { body } = await operator('GET', pathOf(subscription_id))
    expect(body.replay).toMatchObject({ count, replayed: count, finished_at: expect.any(String) })
    expect(await deliveriesOf(env, subscription_id, '?status=succeeded&limit=100')).toHaveLength(count)
  })
  const ids = (await received(env, path)).map(({ headers }) => headers['x-svc-id'])
  expect(new Set(ids).size).toBe(count)
})

// Last: events reach subscriptions that are made within seconds of them.
test('a process that is killed between storing, sending and settling loses no message, and sends each under one id', async () => {
  const path = freshPath('ok')
  const request = { channel: 'webhook', event_key: 'order.shipped', recipient: { url: env.stack.receiverUrl + path } }
  const ids: string[] = []
  const sendSome = async (count: number) => {
    const answers = Array.from({ length: count }, (_, at) =>
      postUntilTaken(env, '/api/v1/notifications', { ...request, data: { name: 'Ada', order: `K-${at}` } }),
    )
    for (const { body } of await Promise.all(answers)) ids.push(body.notification_id)
  }
  for (let round = 1; round <= 3; round++) {
    const before = (await received(env, path)).length
    const sending = sendSome(60)
    await eventually(async () => expect((await received(env, path)).length).toBeGreaterThan(before + 5 * round))
    await env.kill('webhook-delivery')
    await sending
    await env.restart('webhook-delivery')
  }
  await eventually(
    async () => {
      const { rows } = await env
        .sql('dispatch')
        .query(`select status, count(*)::int from notifications where id = any($1) group by status`, [ids])
      expect(rows).toEqual([{ status: 'delivered', count: ids.length }])
    },
    { timeoutMs: 90_000, intervalMs: 500 },
  )
  const requests = await received(env, path)
  const times = Map.groupBy(requests, ({ headers }) => String(headers['x-svc-id']))
  expect(new Set(times.keys())).toEqual(new Set(ids.map((id) => `msg_${id.slice('notif_'.length)}`)))
  const { rows } = await env
    .sql('webhook-delivery')
    .query(
      `select notification_id, attempts from deliveries where subscription_id is null and notification_id = any($1)`,
      [ids],
    )
  for (const { notification_id, attempts } of rows)
    expect(times.get(`msg_${notification_id.slice('notif_'.length)}`)!.length).toBeLessThanOrEqual(attempts)
})

test('two processes send to one receiver each message once, and each names to the other what it stored for its endpoint', async () => {
  await using bus = await openBus(env)
  const words: string[] = []
  bus.connection.subscribe(endpointWakeSubject, { callback: (_, message) => void words.push(message.string()) })
  const replica = await startReplica(env, 'webhook-delivery')
  try {
    const path = freshPath('ok')
    const recipient = { url: env.stack.receiverUrl + path }
    let sent = 0
    const sendUntilNamed = async () => {
      while (sent < 2000 && (sent < 100 || words.length === 0)) {
        sent += 1
        await post(env, {
          channel: 'webhook',
          event_key: 'order.shipped',
          recipient,
          data: { name: 'Ada', order: 'R-1' },
        })
      }
    }
    await Promise.all(Array.from({ length: 4 }, sendUntilNamed))
    expect(words.length).toBeGreaterThan(0)
    await untilReceived(env, path, sent)
    const messages = (await received(env, path)).map(({ headers }) => headers['x-svc-id'])
    expect([messages.length, new Set(messages).size]).toEqual([sent, sent])
  } finally {
    await replica.end('SIGTERM')
  }
})
