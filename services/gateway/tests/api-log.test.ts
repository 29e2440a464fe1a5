import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually, TestEnv } from '@notify/dev-env'
import { expectProblem, post } from '@notify/test-kit/api'
import { addApplication, addKey, operatorToken } from '@notify/test-kit/callers'
import { emailTo, freshAddress } from '@notify/test-kit/email'
import { freshPhone } from '@notify/test-kit/sms'

let env: TestEnv
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch'], { apart: ['gateway'] })
})
afterAll(() => env?.stop())

interface Logged {
  request_id: string
  key_id: string
  method: string
  path: string
  status: number
  code: string | null
}

const read = (applicationId: string, query = '', token = env.operatorToken) =>
  env.api('GET', `/api/v1/applications/${applicationId}/requests?limit=100&${query}`, { token })

async function newCaller() {
  const { applicationId } = await addApplication(env)
  const { apiKey: key, keyId } = await addKey(
    env,
    { tenantId: env.tenantId, applicationId },
    { permissions: ['notifications:send'] },
  )
  return { applicationId, key, keyId }
}

async function until(applicationId: string, count: number, query = ''): Promise<Logged[]> {
  return eventually(async () => {
    const { status, body } = await read(applicationId, query)
    expect(status).toBe(200)
    expect(body.items).toHaveLength(count)
    return body.items
  })
}

test("a newcomer's first failures are logged with key, code and request id, also of a path that does not exist", async () => {
  const { applicationId, key, keyId } = await newCaller()
  const headers = { 'x-request-id': 'mine-1' }
  await post(env, { channel: 'sms', recipient: 'nobody', body: 'Hi' }, { key, headers })
  await post(env, emailTo(freshAddress()), { key })
  await env.api('POST', '/api/v1/notification', { key, body: {} })
  await env.api('POST', '/api/v1/otp/send', { key, body: { channel: 'sms', recipient: freshPhone() } })
  await env.api('GET', '/api/v1/notifications/notif_01jd3x8qk5w9t2m4v6b8n0p2r4?to=ada@example.com', { key })
  await env.api('HEAD', '/api/v1/me', { key })
  const items = await until(applicationId, 6)
  const line = ({ method, path, status, code }: Logged) => [method, path, status, code]
  expect(items.map(line).sort()).toEqual(
    [
      ['POST', '/api/v1/notifications', 422, 'invalid_recipient'],
      ['POST', '/api/v1/notifications', 202, null],
      ['POST', '/api/v1/notification', 404, 'not_found'],
      ['POST', '/api/v1/otp/send', 403, 'permission_denied'],
      ['GET', '/api/v1/notifications/notif_01jd3x8qk5w9t2m4v6b8n0p2r4', 403, 'permission_denied'],
      ['HEAD', '/api/v1/me', 200, null],
    ].sort(),
  )
  expect(new Set(items.map((one) => one.key_id))).toEqual(new Set([keyId]))
  expect(await until(applicationId, 1, 'request_id=mine-1')).toMatchObject([{ status: 422, request_id: 'mine-1' }])
  expect(await until(applicationId, 4, 'outcome=refused')).toEqual(items.filter(({ status }) => status >= 400))
  expect(await until(applicationId, 2, 'outcome=refused&code=permission_denied')).toHaveLength(2)
})

test('requests with live and with test keys are listed apart, and so are the keys', async () => {
  const { applicationId, key, keyId } = await newCaller()
  const { apiKey: testKey, keyId: testKeyId } = await addKey(
    env,
    { tenantId: env.tenantId, applicationId },
    { permissions: ['notifications:send'], mode: 'test' },
  )
  for (const each of [key, testKey, testKey]) await env.api('GET', '/api/v1/me', { key: each })
  await until(applicationId, 3)
  expect(await until(applicationId, 1, 'mode=live')).toMatchObject([{ key_id: keyId }])
  expect(await until(applicationId, 2, 'mode=test')).toMatchObject([{ key_id: testKeyId }, { key_id: testKeyId }])
  expectProblem(await read(applicationId, 'mode=both'), 422, 'validation_failed')
  const keysOf = async (query: string) => {
    const path = `/api/v1/applications/${applicationId}/keys?${query}`
    const { body } = await env.api('GET', path, { token: env.operatorToken })
    return body.items?.map((one: { key_id: string }) => one.key_id)
  }
  const [live, test] = [await keysOf('mode=live'), await keysOf('mode=test')]
  expect([test, live.includes(keyId), live.includes(testKeyId)]).toEqual([[testKeyId], true, false])
  expect((await keysOf('')).sort()).toEqual([...live, ...test].sort())
})

test('no recipient of a path or query is stored', async () => {
  const { applicationId, key } = await newCaller()
  const phone = freshPhone()
  await env.api('GET', `/api/v1/whatsapp/opt-ins/${encodeURIComponent(phone)}`, { key })
  await env.api('GET', `/api/v1/nobody/${encodeURIComponent(phone)}?phone=${phone}`, { key })
  const items = await until(applicationId, 2)
  expect(JSON.stringify(items)).not.toContain(phone.slice(1))
  const { rows } = await env
    .sql('gateway')
    .query(`select t::text from api_requests t where application_id = $1`, [applicationId])
  expect(JSON.stringify(rows)).not.toContain(phone.slice(1))
})

test('requests of one second are written in one statement', async () => {
  const { applicationId, key } = await newCaller()
  const began = performance.now()
  await Promise.all(Array.from({ length: 40 }, () => env.api('GET', '/api/v1/me', { key })))
  const seconds = Math.ceil((performance.now() - began) / 1000)
  await until(applicationId, 40)
  const { rows } = await env
    .sql('gateway')
    .query('select count(distinct xmin::text)::int as statements from api_requests where application_id = $1', [
      applicationId,
    ])
  expect(rows[0].statements).toBeLessThanOrEqual(2 + seconds)
})

test('a stop of the process loses no request of the last second', async () => {
  const { applicationId, key } = await newCaller()
  await env.api('GET', '/api/v1/me', { key })
  await env.kill('gateway', 'SIGTERM')
  await env.restart('gateway')
  await until(applicationId, 1)
})

test('the log is read with activity:read, of applications of the own tenant', async () => {
  const { applicationId } = await newCaller()
  expectProblem(
    await read(applicationId, '', operatorToken(env, { permissions: ['usage:read'] })),
    403,
    'permission_denied',
  )
  expectProblem(await read('app_01jd3x8qk5w9t2m4v6b8n0p2r4'), 404, 'not_found')
  expectProblem(await read(applicationId, 'outcome=bad'), 422, 'validation_failed')
  expectProblem(await read(applicationId, 'cursor=bad'), 422, 'validation_failed')
})

test('beyond a rate requests are counted, and refusals are stored beside a crowd of successes', async () => {
  const { applicationId, key } = await newCaller()
  const requests = 150
  for (let at = 0; at < requests; at += 50)
    await Promise.all(Array.from({ length: 50 }, () => env.api('GET', '/api/v1/me', { key })))
  await env.api('GET', '/api/v1/activity', { key })
  await eventually(async () => {
    const { body } = await read(applicationId)
    const stored = body.items.length
    const counted = body.not_stored.reduce((sum: number, one: { requests: number }) => sum + one.requests, 0)
    expect(stored).toBeLessThan(requests)
    expect(stored + counted).toBe(requests + 1)
  })
  expect(await until(applicationId, 1, 'outcome=refused')).toMatchObject([{ status: 403 }])
  const { body } = await read(applicationId, 'code=permission_denied')
  expect(body).toMatchObject({ items: [{ status: 403 }], not_stored: [] })
})
