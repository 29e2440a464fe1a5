import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { type ApiResponse, eventually, TestEnv } from '@notify/dev-env'
import { mintApiKey } from '@notify/privacy'
import { activity } from '@notify/test-kit/activity'
import { expectProblem, post, storedRows } from '@notify/test-kit/api'
import { demoAccount, postForm, signature, statusFields } from '@notify/test-kit/callbacks'
import { addApplication, addBareTenant, addEmptyTenant, addKey, operatorToken } from '@notify/test-kit/callers'
import { rawRequest } from '@notify/test-kit/http'
import { freshPhone, smsTo } from '@notify/test-kit/sms'
import { Redis } from 'ioredis'
import { type Count, createCounter } from '../src/limits/counter.ts'

let env: TestEnv
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks', 'inbox-stream'], {
    env: {
      gateway: {
        RATE_LIMIT_KEY_PER_SECOND: '4',
        RATE_LIMIT_TENANT_PER_SECOND: '6',
        RATE_LIMIT_ADDRESS_PER_SECOND: '10',
        // Lets tests call from several addresses.
        TRUSTED_PROXIES: '127.0.0.0/8',
      },
    },
  })
})
afterAll(() => env?.stop())

const burst = (key: string, count: number): Promise<ApiResponse[]> =>
  Promise.all(Array.from({ length: count }, () => post(env, smsTo(freshPhone()), { key })))
/** The answers of requests that are sent at once, and the most windows of a second that they can have met. */
async function inWindows<Answers>(sent: Promise<Answers>): Promise<[Answers, windows: number]> {
  const began = performance.now()
  const answers = await sent
  return [answers, Math.floor((performance.now() - began) / 1000) + 2]
}
const accepted = (answers: ApiResponse[]) => answers.filter(({ status }) => status === 202).length

test('a key passes as often a second as it may, and then gets 429 with Retry-After', async () => {
  const { apiKey } = await addKey(env, env, { perSecond: 5 })
  const before = await storedRows(env)
  const [answers, windows] = await inWindows(burst(apiKey, 25))
  expect(accepted(answers)).toBeGreaterThanOrEqual(5)
  expect(accepted(answers)).toBeLessThanOrEqual(5 * windows)
  const refused = answers.find(({ status }) => status === 429)!
  expectProblem(refused, 429, 'rate_limited')
  expect(refused.headers.get('retry-after')).toBe('1')
  const after = await storedRows(env)
  expect(after['dispatch.notifications']).toBe((before['dispatch.notifications'] ?? 0) + accepted(answers))
  await eventually(async () => expect(accepted(await burst(apiKey, 1))).toBe(1), { timeoutMs: 3000 })
})

test('a large body counts as several requests, one for each 32 KiB, and its length need not be announced', async () => {
  const large = JSON.stringify({ ...smsTo(freshPhone()), metadata: {}, unknown: 'x'.repeat(200_000) })
  for (const announced of [true, false]) {
    const { apiKey } = await addKey(env, env, { perSecond: 10 })
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
    const send = () => {
      const body = announced ? large : new Blob([large]).stream()
      return fetch(`${env.stack.url('gateway')}/api/v1/notifications`, {
        method: 'POST',
        headers,
        body,
        duplex: 'half',
      } as RequestInit)
    }
    const statuses: number[] = []
    for (let at = 0; at < 5; at++) statuses.push((await send()).status)
    // Seven of ten each: the second exceeds the limit, unless a new window has started.
    expect(statuses[0]).toBe(422)
    expect(statuses).toContain(429)
  }
})

test('a body that is declared too large counts as the largest one that is read', async () => {
  const tenantId = await addEmptyTenant(env)
  await env.admin.query('update gateway.tenants set rate_limit_per_second = 500 where id = $1', [tenantId])
  const other = await addApplication(env, tenantId, 'Other')
  const { apiKey } = await addKey(env, other, { perSecond: 100 })
  const head = `POST /api/v1/notifications HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${apiKey}\r\nConnection: close\r\n`
  const length = 'Content-Type: application/json\r\nContent-Length: 5000000000\r\n\r\n'
  const refused = await rawRequest(env.stack.url('gateway'), head + length)
  expectProblem(refused, 413, 'payload_too_large')
  // 10 MiB are 320 requests.
  expect(refused.headers.get('ratelimit')).toBe('"key";r=0;t=4, "tenant";r=180;t=1')
  // It passes the limits and then has no provider.
  expect((await post(env, smsTo(freshPhone()), { key: other.apiKey })).status).toBe(409)
})

describe('a request that counts as more than its caller may make in a second', () => {
  const sendBatch = (apiKey: string, count: number, fields: object = {}) =>
    env.api('POST', '/api/v1/notifications/batch', {
      key: apiKey,
      body: { requests: Array.from({ length: count }, () => ({ ...smsTo(freshPhone()), ...fields })) },
    })

  test('passes, and delays the next ones by as long as it takes at the limit', async () => {
    const { apiKey } = await addKey(env, env, { perSecond: 3 })
    // 20 items in more than 32 KiB: 21 requests.
    const batch = await sendBatch(apiKey, 20, { body: 'x'.repeat(1600) })
    expect(batch.status).toBe(202)
    expect(batch.body.results).toEqual(Array(20).fill(expect.objectContaining({ status: 'accepted' })))
    expect(batch.headers.get('ratelimit')).toMatch(/^"key";r=0;t=[2-7], /)
    const began = performance.now()
    const refused = await post(env, smsTo(freshPhone()), { key: apiKey })
    expectProblem(refused, 429, 'rate_limited')
    expect(refused.headers.get('retry-after')).toMatch(/^[2-7]$/)
    await eventually(async () => expect(accepted(await burst(apiKey, 1))).toBe(1), { timeoutMs: 10_000 })
    expect(performance.now() - began).toBeGreaterThan(1000)
  })

  test('passes where the tenant is the limit, and where its length is not announced', async () => {
    const tenantId = newId('ten')
    await env.admin.query(`insert into gateway.tenants (id, name, rate_limit_per_second) values ($1, 'Least', 1)`, [
      tenantId,
    ])
    const { apiKey } = await addApplication(env, tenantId, 'Only')
    const answers = await sendBatch(apiKey, 3)
    // Its items pass the limits and then have no provider.
    expect(answers.status).not.toBe(429)
    const { apiKey: slow } = await addKey(env, env, { perSecond: 1 })
    const { status } = await fetch(`${env.stack.url('gateway')}/api/v1/notifications`, {
      method: 'POST',
      headers: { authorization: `Bearer ${slow}`, 'content-type': 'application/json' },
      body: new Blob([JSON.stringify({ unknown: 'x'.repeat(100_000) })]).stream(),
      duplex: 'half',
    } as RequestInit)
    expect(status).toBe(422)
  })

  test('counts once if it has more items than a batch may have', async () => {
    const { apiKey } = await addKey(env, env, { perSecond: 5 })
    const answer = await env.api('POST', '/api/v1/notifications/batch', {
      key: apiKey,
      body: { requests: Array.from({ length: 10_000 }, () => 1) },
    })
    expectProblem(answer, 422, 'validation_failed')
    expect((await post(env, smsTo(freshPhone()), { key: apiKey })).status).toBe(202)
  })

  test('delays other replicas as well', async () => {
    const redis = new Redis(env.stack.redisUrl)
    const counters = [1, 2].map(() => createCounter(redis, (id) => `test:${id}`))
    try {
      const [here, there] = counters as [Count, Count]
      here('batch', 330, 10)
      await eventually(async () => expect(await redis.pttl('test:batch')).toBeGreaterThan(2000))
      there('batch', 1, 10)
      await eventually(async () => expect(there('batch', 0).place).toBe(331))
      expect(there('batch', 0).resetMs).toBeGreaterThan(2000)
    } finally {
      await redis.del('test:batch')
      redis.disconnect()
    }
  })
})

test('every answer carries the limits and what is left of them', async () => {
  const { apiKey } = await addKey(env, env, { perSecond: 50 })
  const { headers } = await post(env, smsTo(freshPhone()), { key: apiKey })
  expect(headers.get('ratelimit-policy')).toBe('"key";q=50;w=1, "tenant";q=100000;w=1')
  expect(headers.get('ratelimit')).toMatch(/^"key";r=49;t=1, "tenant";r=999\d\d;t=1$/)
  const refused = await post(env, {}, { key: apiKey })
  expect([refused.status, refused.headers.get('ratelimit-policy')]).toEqual([422, headers.get('ratelimit-policy')])
})

test('nothing in Redis identifies a counted caller', async () => {
  const { apiKey } = await addKey(env, env, { perSecond: 1000 })
  const redis = new Redis(env.stack.redisUrl)
  try {
    const keys = await eventually(async () => {
      await Promise.all([burst(apiKey, 2), activity(env)])
      const found = await redis.keys('*')
      expect(found.length).toBeGreaterThan(1)
      return found
    })
    for (const key of keys) expect(key).toMatch(/^limit:[\w-]{22}$/)
  } finally {
    redis.disconnect()
  }
})

test('one key’s haste does not slow another, nor an operator', async () => {
  const [fast, calm] = [await addKey(env, env, { perSecond: 2 }), await addKey(env, env, { perSecond: 1000 })]
  const [[hurried, other], windows] = await inWindows(Promise.all([burst(fast.apiKey, 20), burst(calm.apiKey, 20)]))
  expect(accepted(hurried)).toBeLessThanOrEqual(2 * windows)
  expect(other.filter(({ status }) => status === 429)).toEqual([])
  expect((await activity(env)).status).toBe(200)
})

test('without limits of their own a key and a tenant have those of the configuration', async () => {
  const tenantId = 'ten_01jd3x8qk5w9t2m4v6b8n0p2r4'
  await env.admin.query(`insert into gateway.tenants (id, name) values ($1, 'Small')`, [tenantId])
  const first = await addApplication(env, tenantId, 'One')
  const second = await addApplication(env, tenantId, 'Two')
  const [both, windows] = await inWindows(Promise.all([burst(first.apiKey, 12), burst(second.apiKey, 12)]))
  const answers = both.flat()
  // They pass the limits and then have no provider.
  const passed = answers.filter(({ status }) => status === 409)
  expect(passed.length).toBeGreaterThanOrEqual(4)
  expect(passed.length).toBeLessThanOrEqual(6 * windows)
  const details = answers.filter(({ status }) => status === 429).map(({ body }) => body.detail)
  expect(details.some((detail: string) => detail.includes('tenant may make 6'))).toBe(true)
  expect(details.some((detail: string) => detail.includes('caller may make 4'))).toBe(true)
})

test('test keys use up nothing of the limit of live keys', async () => {
  const tenant = await addBareTenant(env)
  const { apiKey: testKey } = await addKey(env, tenant, { mode: 'test', perSecond: 1000 })
  const requests = Array.from({ length: 60 }, () => smsTo(freshPhone()))
  // Ten times the limit: the tenant waits for nine seconds.
  const batch = await env.api('POST', '/api/v1/notifications/batch', { key: testKey, body: { requests } })
  expect(batch.headers.get('ratelimit')).toMatch(/, "tenant";r=0;t=\d+$/)
  const refused = await post(env, smsTo(freshPhone()), { key: testKey })
  expectProblem(refused, 429, 'rate_limited')
  expect(refused.body.detail).toContain('tenant may make 6')
  // It passes the limits and then has no provider.
  expect((await post(env, smsTo(freshPhone()), { key: tenant.apiKey })).status).toBe(409)
})

test('keys that use up the limit of their tenant do not keep its operators from revoking one', async () => {
  const tenant = await addBareTenant(env)
  const { keyId, apiKey } = await addKey(env, tenant, { perSecond: 1000 })
  const requests = Array.from({ length: 60 }, () => smsTo(freshPhone()))
  await env.api('POST', '/api/v1/notifications/batch', { key: apiKey, body: { requests } })
  const refused = await post(env, smsTo(freshPhone()), { key: apiKey })
  expectProblem(refused, 429, 'rate_limited')
  expect(refused.body.detail).toContain('tenant may make 6')
  const token = operatorToken(env, { tenant_id: tenant.tenantId, permissions: ['applications:manage'] })
  expect(
    (await env.api('DELETE', `/api/v1/applications/${tenant.applicationId}/keys/${keyId}`, { token })).status,
  ).toBe(204)
})

test('a refused request is counted before its permission and its body are looked at', async () => {
  const { apiKey } = await addKey(env, env, { permissions: [], perSecond: 1 })
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => env.api('POST', '/api/v1/notifications', { key: apiKey, raw: '{' })),
  )
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([403, 429]))
})

describe('an address that fails too often', () => {
  const from = (address: string) => ({ 'x-forwarded-for': address })
  const badKey = () => mintApiKey('live', newId('key')).apiKey
  const burstOf = (count: number, call: () => Promise<ApiResponse>) =>
    Promise.all(Array.from({ length: count }, call)).then((answers) => answers.map(({ status }) => status))

  const addresses = Array.from({ length: 12 }, (_, host) => `192.0.2.${host + 1}`)
  const keyOfCell = () => mintApiKey('live', newId('key'), 'us1').apiKey

  test.each<[string, number, string, () => object]>([
    ['without credentials', 401, 'activity', () => ({ key: null })],
    ['with keys that nobody made', 401, 'activity', () => ({ key: badKey() })],
    ['with keys of another cell that nobody made', 421, 'activity', () => ({ key: keyOfCell() })],
    ['with tokens that are none', 401, 'activity', () => ({ key: 'eyJhbGciOiJub25lIn0.e30.' })],
    ['with user tokens that are none', 401, 'inbox', () => ({ token: 'eyJhbGciOiJub25lIn0.e30.' })],
  ])('is 429 with Retry-After %s; others are %d', async (_how, refused, path, credentials) => {
    const [address = '', other = ''] = addresses.splice(0, 2)
    const call = (caller: string) => env.api('GET', `/api/v1/${path}`, { headers: from(caller), ...credentials() })
    const sent = Promise.all([burstOf(60, () => call(address)), burstOf(3, () => call(other))])
    const [[failing, others], windows] = await inWindows(sent)
    // Not each of 421: fetch repeats those by itself, and each repetition may be 429.
    expect(failing).toContain(429)
    expect(failing.filter((status) => status !== 429 && status !== refused)).toEqual([])
    expect(failing.filter((status) => status === refused).length).toBeLessThanOrEqual(10 * windows)
    expect(new Set(others)).toEqual(new Set([refused]))
    await eventually(async () => {
      await burstOf(20, () => call(address))
      const answer = await call(address)
      expectProblem(answer, 429, 'rate_limited')
      expect(answer.headers.get('retry-after')).toBe('1')
    })
  })

  test('is not one whose keys are of a tenant that moved to another cell', async () => {
    const { tenantId, apiKey } = await addBareTenant(env)
    await env.admin.query(`update gateway.tenants set moved_to = 'us1', moved_at = now() where id = $1`, [tenantId])
    const call = () => env.api('GET', '/api/v1/notifications/x', { key: apiKey, headers: from('203.0.113.11') })
    expect(new Set(await burstOf(60, call))).toEqual(new Set([421]))
  })

  test('counts as one within a /64', async () => {
    const hosts = Array.from({ length: 60 }, (_, host) => `2001:db8::${(host + 1).toString(16)}`)
    const callFrom = (host: string) => env.api('GET', '/api/v1/activity', { key: null, headers: from(host) })
    const [answers, windows] = await inWindows(Promise.all(hosts.map(callFrom)))
    expect(answers.filter(({ status }) => status !== 429).length).toBeLessThanOrEqual(10 * windows)
  })

  test('locks out nobody whose key is good, be it for the first time', async () => {
    const headers = from('203.0.113.9')
    const known = await addKey(env, env, { perSecond: 1000 })
    expect((await post(env, smsTo(freshPhone()), { key: known.apiKey, headers })).status).toBe(202)
    const fresh = await Promise.all(Array.from({ length: 5 }, () => addKey(env, env, { perSecond: 1000 })))
    const failing = burstOf(80, () => env.api('GET', '/api/v1/activity', { key: badKey(), headers }))
    const good = await Promise.all(
      [known, ...fresh].map(({ apiKey }) => post(env, smsTo(freshPhone()), { key: apiKey, headers })),
    )
    expect(good.map(({ status }) => status)).toEqual(good.map(() => 202))
    expect(await failing).toContain(429)
  })

  test('is admitted when its callbacks are signed: carriers share their addresses with strangers', async () => {
    const account = demoAccount(env)
    const address = '/api/v1/callbacks/smsprovider/sms'
    const headers = from('203.0.113.10')
    const callback = (signed?: string) => {
      const fields = statusFields(account, 'delivered')
      const good = signature(account.authToken, env.stack.url('gateway') + address, fields)
      return postForm(env, { fields, address, signed: signed ?? good, headers })
    }
    await eventually(async () => expect((await callback()).status).toBe(200))
    const [forged, signed] = await Promise.all([burstOf(60, () => callback('forged')), burstOf(60, () => callback())])
    expect(new Set(forged)).toEqual(new Set([403, 429]))
    expect(new Set(signed)).toEqual(new Set([200]))
  })
})

test.each(['SIGKILL', 'SIGSTOP'] as const)(
  'with Redis gone (%s) a local count takes over: neither closed nor open',
  async (signal) => {
    const { apiKey } = await addKey(env, env, { perSecond: 5 })
    const generous = await addKey(env, env, { perSecond: 1000 })
    await env.kill('redis', signal)
    const calm = await burst(generous.apiKey, 10)
    expect(accepted(calm)).toBe(10)
    const [answers, windows] = await inWindows(burst(apiKey, 40))
    expect(accepted(answers)).toBeGreaterThanOrEqual(5)
    expect(accepted(answers)).toBeLessThanOrEqual(5 * windows)
    expect(answers.filter(({ status }) => status === 429).length).toBe(40 - accepted(answers))
    if (signal === 'SIGSTOP') await env.kill('redis', 'SIGCONT')
    else await env.restart('redis')
    await eventually(async () => expect(accepted(await burst(generous.apiKey, 5))).toBe(5))
  },
)
