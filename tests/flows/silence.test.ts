import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import type { ServiceName } from '@notify/contracts'
import {
  type ApiResponse,
  eventually,
  type FaultProxy,
  type Stack,
  startFaultProxy,
  startTestPostgres,
  TestEnv,
  type TestPostgres,
} from '@notify/dev-env'
import { activity, retry, untilActivity } from '@notify/test-kit/activity'
import { expectProblem, post } from '@notify/test-kit/api'
import { freshPhone, send, sendUntilTaken, smsTo } from '@notify/test-kit/sms'
import { within } from '@notify/test-kit/within'

const shared = 'NOTIFY_TEST_POSTGRES_URL'
let env: TestEnv
let postgres: TestPostgres
let stack: Stack | undefined
let proxies: Record<'postgres' | 'nats' | 'redis' | 'dispatch', FaultProxy>

beforeAll(async () => {
  postgres = await startTestPostgres()
  proxies = {
    postgres: await startFaultProxy(() => postgres.url),
    nats: await startFaultProxy(() => stack!.natsUrl),
    redis: await startFaultProxy(() => stack!.redisUrl),
    dispatch: await startFaultProxy(() => stack!.url('dispatch-api')),
  }
  const given = process.env[shared]
  process.env[shared] = proxies.postgres.via(postgres.url)
  const vars: Record<'gateway' | 'dispatch-api' | 'dispatch-worker' | 'callbacks', Record<string, string>> = {
    gateway: { DISPATCH_URL: proxies.dispatch.via('http://server') },
    'dispatch-api': {},
    'dispatch-worker': { SEND_RETRY_DELAYS: '100ms,200ms,500ms,1s,2s', UNKNOWN_GRACE: '5s' },
    callbacks: {},
  }
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks'], {
    apart: 'all',
    env: vars,
    onStack(made) {
      stack = made
      const natsUrl = (service: ServiceName) => proxies.nats.via(made.wiring.serviceNatsUrl(service))
      Object.assign(vars.gateway, { NATS_URL: natsUrl('gateway'), REDIS_URL: proxies.redis.via(made.redisUrl) })
      for (const name of ['dispatch-api', 'dispatch-worker'] as const) vars[name].NATS_URL = natsUrl('dispatch')
      vars.callbacks.NATS_URL = natsUrl('callbacks')
    },
  })
  if (given) process.env[shared] = given
  else delete process.env[shared]
})
afterAll(async () => {
  await env?.stop()
  for (const proxy of Object.values(proxies ?? {})) await proxy.stop()
  await postgres?.stop()
})
afterEach(async () => {
  for (const proxy of Object.values(proxies)) await proxy.recover()
})

/** The guarantee is 8 s; the rest is for a busy machine. */
const answerWithinMs = 8000 + 2000
/** Less than a request waits for a silent connection. */
const notDelayedMs = 3000

/** One call of each kind of route that dispatch owns. */
const callsOfDispatch = (id: string): (() => Promise<ApiResponse>)[] => [
  () => post(env, smsTo(freshPhone('0008'))),
  () => post(env, smsTo(freshPhone('0008')), { headers: { 'idempotency-key': freshPhone() } }),
  () => env.api('POST', '/api/v1/notifications/batch', { body: { requests: [smsTo(freshPhone('0008'))] } }),
  () => env.api('GET', `/api/v1/notifications/${id}`),
  () => env.api('POST', `/api/v1/notifications/${id}/cancel`),
  () => retry(env, id),
  () => env.api('GET', '/api/v1/templates', { token: env.operatorToken }),
  () => env.api('GET', '/api/v1/domains', { token: env.operatorToken }),
  () => env.api('GET', '/api/v1/suppressions', { token: env.operatorToken }),
]

/** Makes the calls concurrently and expects each to be refused in time. */
async function expectUnavailable(calls: readonly (() => Promise<ApiResponse>)[]): Promise<void> {
  for (const answer of await within(env, answerWithinMs, ...calls)) {
    expectProblem(answer, 503, 'service_unavailable')
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/)
  }
}

async function acceptedCount(): Promise<number> {
  const { rows } = await env.admin.query('select count(*)::int as count from dispatch.notifications')
  return rows[0].count
}

/** Enough concurrent requests to open every connection of every pool. */
const warm = () => Promise.all(Array.from({ length: 24 }, () => sendUntilTaken(env, freshPhone('0008'))))

async function expectDelivered(phone: string, id: string): Promise<void> {
  await untilActivity(env, id, { status: 'delivered' })
  expect(await env.messages({ to: phone })).toHaveLength(1)
}

const readiness = async (process: 'gateway' | 'dispatch-api' | 'dispatch-worker') => {
  const { status, body } = await env.call(process, 'GET', '/readyz')
  const { status: alive } = await env.call(process, 'GET', '/healthz')
  return { status, failures: body.failures, alive }
}

test('when all open Postgres connections become silent, the service continues over new ones within seconds', async () => {
  await warm()
  const phone = freshPhone()
  const waiting = await send(env, phone)
  proxies.postgres.swallowOpen()
  await within(
    env,
    answerWithinMs,
    () => eventually(async () => expect((await post(env, smsTo(freshPhone('0008')))).status).toBe(202)),
    () => eventually(async () => expect((await activity(env)).status).toBe(200)),
  )
  // From now on no request is delayed.
  for (let i = 0; i < 16; i++) await within(env, notDelayedMs, () => send(env, freshPhone('0008')))
  await expectDelivered(phone, waiting)
})

test('while Postgres is unreachable, each call is 503 within 8 s; then all works again', async () => {
  const id = await send(env, freshPhone('0002'))
  await untilActivity(env, id, { status: 'undelivered' })
  proxies.postgres.swallowOpen()
  proxies.postgres.swallowNew()
  await expectUnavailable([...callsOfDispatch(id), () => activity(env)])
  // Again, when only new connections are tried.
  await expectUnavailable([...callsOfDispatch(id), () => activity(env)])
  await proxies.postgres.recover()
  await eventually(() => send(env, freshPhone('0008')))
  const phone = freshPhone()
  await expectDelivered(phone, await eventually(() => send(env, phone)))
})

test('while Postgres is frozen, each call is 503 within 8 s and readiness names it; afterwards all works again', async () => {
  const id = await send(env, freshPhone('0002'))
  await untilActivity(env, id, { status: 'undelivered' })
  postgres.freeze()
  try {
    await expectUnavailable([...callsOfDispatch(id), () => activity(env)])
    for (const process of ['gateway', 'dispatch-api', 'dispatch-worker'] as const) {
      const unready = { status: 503, failures: ['postgres'], alive: 200 }
      await eventually(async () => expect(await readiness(process)).toEqual(unready))
    }
  } finally {
    postgres.thaw()
  }
  const phone = freshPhone()
  await expectDelivered(phone, await eventually(() => send(env, phone)))
  await eventually(async () => expect(await readiness('dispatch-worker')).toMatchObject({ status: 200 }))
})

test('while dispatch is frozen, each call is 503 within 8 s, however many wait; afterwards all works again', async () => {
  const id = await send(env, freshPhone('0008'))
  await env.kill('dispatch-api', 'SIGSTOP')
  try {
    const crowd = Array.from({ length: 40 }, () => () => post(env, smsTo(freshPhone('0008'))))
    await expectUnavailable([...callsOfDispatch(id), ...crowd])
    expect((await activity(env)).status).toBe(200)
    // On a busy machine Postgres may take longer than the timeout of a probe.
    await eventually(async () => expect(await readiness('gateway')).toEqual({ status: 200, failures: [], alive: 200 }))
  } finally {
    await env.kill('dispatch-api', 'SIGCONT')
  }
  await eventually(() => send(env, freshPhone('0008')))
})

test('a request that was answered 503 while dispatch was frozen is not accepted when dispatch continues', async () => {
  const [plain, keyed, inBatch] = [freshPhone('0008'), freshPhone('0008'), freshPhone('0008')]
  const key = { headers: { 'idempotency-key': keyed } }
  await warm()
  const before = await acceptedCount()
  await env.kill('dispatch-api', 'SIGSTOP')
  try {
    await expectUnavailable([
      () => post(env, smsTo(plain)),
      () => post(env, smsTo(keyed), key),
      () => env.api('POST', '/api/v1/notifications/batch', { body: { requests: [smsTo(inBatch)] } }),
    ])
  } finally {
    await env.kill('dispatch-api', 'SIGCONT')
  }
  // Requests that waited in the sockets are read before this one.
  const repeated = await eventually(async () => {
    const answer = await post(env, smsTo(keyed), key)
    expect(answer.status).toBe(202)
    return answer
  })
  expect((await post(env, smsTo(keyed), key)).text).toBe(repeated.text)
  expect(await acceptedCount()).toBe(before + 1)
})

test('when the connections to dispatch become silent, messages are accepted over new ones, and the next calls are not delayed', async () => {
  await warm()
  proxies.dispatch.swallowOpen()
  expect((await post(env, smsTo(freshPhone('0008')))).status).toBe(202)
  for (let i = 0; i < 8; i++) {
    const list = () => env.api('GET', '/api/v1/templates', { token: env.operatorToken })
    const [answer] = await within(env, notDelayedMs, list)
    expect(answer!.status).toBe(200)
  }
})

/** Accepts messages during a fault of NATS, and expects everything to be delivered once after its end. */
async function expectNothingLost(fault: () => unknown, during: () => Promise<void>, end: () => unknown): Promise<void> {
  const before = await acceptedCount()
  await fault()
  const phones = [freshPhone(), freshPhone(), freshPhone()]
  const ids = []
  for (const phone of phones) ids.push(await send(env, phone))
  await during()
  await end()
  for (const [index, phone] of phones.entries()) await expectDelivered(phone, ids[index]!)
  await eventually(async () => expect((await activity(env)).body.total_count).toBe(before + phones.length))
}

test('when the open connections to NATS become silent, accepted messages are delivered once over new ones', () =>
  expectNothingLost(
    () => proxies.nats.swallowOpen(),
    async () => {},
    () => {},
  ))

test.each([
  ['NATS is frozen', () => env.kill('nats', 'SIGSTOP'), () => env.kill('nats', 'SIGCONT')],
  [
    'NATS is unreachable',
    () => {
      proxies.nats.swallowOpen()
      proxies.nats.swallowNew()
    },
    () => proxies.nats.recover(),
  ],
])(
  'while %s the answer is 202 and only the worker is not ready; then everything is delivered once',
  (_, fault, end) => {
    const during = async () => {
      const unready = { status: 503, failures: ['nats'], alive: 200 }
      await eventually(async () => expect(await readiness('dispatch-worker')).toEqual(unready))
      await eventually(async () => expect(await readiness('dispatch-api')).toMatchObject({ status: 200 }))
    }
    return expectNothingLost(fault, during, end)
  },
)

test.each([
  ['its open connection becomes silent', async () => proxies.redis.swallowOpen(), async () => {}],
  ['it is frozen', () => env.kill('redis', 'SIGSTOP'), () => env.kill('redis', 'SIGCONT')],
])('Redis: when %s no request waits for it, and it counts again afterwards', async (_, fault, end) => {
  const count = (what: string) => env.logs('gateway', 100_000).split(what).length
  const [lost, found] = [count('Redis does not respond'), count('Redis responds again')]
  await fault()
  await eventually(async () => {
    const began = performance.now()
    await send(env, freshPhone('0008'))
    expect(performance.now() - began).toBeLessThan(3000)
    expect(count('Redis does not respond')).toBeGreaterThan(lost)
  })
  await end()
  await eventually(async () => {
    await send(env, freshPhone('0008'))
    expect(count('Redis responds again')).toBeGreaterThan(found)
  })
})
