import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { KeyPermission, liveOnlyPermissions, newId, permissionsFor, type Route } from '@notify/contracts'
import { publicRoutes } from '@notify/contracts/catalogue'
import { TestEnv } from '@notify/dev-env'
import { untilActivity } from '@notify/test-kit/activity'
import { expectProblem, post, postUntilTaken, untilAvailable } from '@notify/test-kit/api'
import { addKey } from '@notify/test-kit/callers'
import { freshPhone, smsTo } from '@notify/test-kit/sms'

type Mode = 'live' | 'test'
const modes: [Mode, Mode][] = [
  ['live', 'test'],
  ['test', 'live'],
]
const routes = publicRoutes().filter((route) => permissionsFor(route.auth)?.key !== undefined)
const named = (chosen: readonly Route[]) => chosen.map((route) => [`${route.method} ${route.path}`, route] as const)
const isLiveOnly = ({ auth }: Route) => liveOnlyPermissions.includes(permissionsFor(auth)?.key as KeyPermission)
const parameterOf = ({ path }: Route) => /:(\w+)/.exec(path)?.[1]

let env: TestEnv
let keys: Record<Mode, string>
/** The resources created by a key of each mode, by path parameter. A route with another parameter needs a line here. */
let made: Record<Mode, Record<string, string>>
/** Transactions of one-time passwords whose code is known. */
let verifiable: Record<Mode, string>
/** Bodies with a fresh recipient each. A route with another body needs a line here. */
const bodies: Record<string, (mode: Mode) => object> = {
  createNotification: () => smsTo(freshPhone()),
  createNotificationBatch: () => ({ requests: [smsTo(freshPhone())] }),
  createOptIn: () => ({ phone_e164: freshPhone(), source: 'web_form' }),
  createOptOut: () => ({ phone_e164: freshPhone() }),
  sendOtp: () => ({ channel: 'sms', recipient: freshPhone() }),
  verifyOtp: (mode) => ({ transaction_id: verifiable[mode], code: '123456' }),
  createUserToken: () => ({ user_id: 'ada' }),
  createWebhookSubscription: () => ({}),
  changeWebhookSubscription: () => ({}),
  replayWebhookDeliveries: () => ({}),
  createList: () => ({ name: 'Customers' }),
  changeList: () => ({ name: 'Guests' }),
  createBroadcast: () => ({ channel: 'sms', body: 'We have moved.' }),
  lookUpRecipient: () => ({ recipient: freshPhone() }),
  lookUpPreferences: () => ({ user_id: 'ada' }),
  importPreferences: () => ({ rules: [{ user_id: 'ada', topic: '*', channel: 'email', state: 'off' }] }),
  explainPreference: () => ({ user_id: 'ada', channel: 'email' }),
  createDomain: () => ({ domain: `d${freshPhone().slice(1)}.example` }),
}

beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'consent', 'otp', 'inbox-stream'])
  // A test key with every permission, written directly: the API refuses some.
  const { apiKey } = await addKey(env, env, { mode: 'test', permissions: [...KeyPermission.options] })
  keys = { live: env.apiKey, test: apiKey }
  const send_at = new Date(Date.now() + 3_600_000).toISOString()
  const schedule = async (key: string) => {
    const { status, body } = await post(env, smsTo(freshPhone(), { send_at }), { key })
    expect(status).toBe(202)
    return body.notification_id as string
  }
  const agree = async (key: string) => {
    const phone_e164 = freshPhone('0199')
    const body = { phone_e164, source: 'web_form' }
    expect((await env.api('POST', '/api/v1/whatsapp/opt-ins', { key, body })).status).toBe(201)
    return phone_e164
  }
  const sendCode = async (key: string) => {
    const body = { channel: 'sms', recipient: freshPhone(), code: '123456' }
    const answer = await postUntilTaken(env, '/api/v1/otp/send', body, { key })
    expect(answer.status).toBe(200)
    return answer.body.transaction_id as string
  }
  const addUser = async (key: string) => {
    const user_id = crypto.randomUUID()
    expect((await env.api('PUT', `/api/v1/users/${user_id}`, { key, body: {} })).status).toBe(200)
    return user_id
  }
  const addBroadcast = async (key: string) => {
    const list = await env.api('POST', '/api/v1/lists', { key, body: { name: 'Customers' } })
    const { list_id } = list.body
    const body = { channel: 'sms', body: 'We have moved.' }
    const broadcast = await env.api('POST', `/api/v1/lists/${list_id}/notifications`, { key, body })
    expect([list.status, broadcast.status]).toEqual([201, 202])
    return { list_id, broadcast_id: broadcast.body.broadcast_id }
  }
  verifiable = { live: await sendCode(keys.live), test: await sendCode(keys.test) }
  const { body: domain } = await env.api('POST', '/api/v1/domains', { body: { domain: 'shop.example' } })
  made = {
    live: {
      notification_id: await schedule(keys.live),
      domain_id: domain.domain_id,
      phone_e164: await agree(keys.live),
      transaction_id: await sendCode(keys.live),
      subscription_id: newId('whsub'),
      delivery_id: newId('whdel'),
      user_id: await addUser(keys.live),
      ...(await addBroadcast(keys.live)),
    },
    test: {
      notification_id: await schedule(keys.test),
      phone_e164: await agree(keys.test),
      transaction_id: await sendCode(keys.test),
      user_id: await addUser(keys.test),
      ...(await addBroadcast(keys.test)),
    },
  }
})
afterAll(() => env?.stop())

/** A request that can be repeated: with the same body each time. */
function prepare(mode: Mode, route: Route, id?: string, headers: Record<string, string> = {}) {
  const path = route.path.replace(/:\w+/, id ?? '')
  const body = route.body ? bodies[route.name]?.(mode) : undefined
  if (route.body && !body) throw new Error(`this test has no body for ${route.name}`)
  return () => env.api(route.method, path, { key: keys[mode], headers, ...(body ? { body } : {}) })
}
const request = (mode: Mode, route: Route, id?: string) => prepare(mode, route, id)()

const missing: Record<string, string> = { transaction_id: 'otp_not_found', list_id: 'list_not_found' }
/** It needs a query, and choices are for any id. */
const others = new Set(['deleteMember', 'getUserPreferences', 'changeUserPreferences'])

/** Every row that a key may have made, with its mode. */
async function rows(): Promise<{ id: string; mode: Mode }[]> {
  // The state of a sent code keeps changing, so only fields that a caller can change are compared.
  const found = await Promise.all(
    [
      `select * from dispatch.notifications where lane <> 'otp' order by id`,
      'select * from consent.consent_entries order by id',
      'select id, mode, expires_at from otp.transactions order by id',
    ].map((query) => env.admin.query(query)),
  )
  return found.flatMap((one) => one.rows)
}

describe.each(modes)('a request of a %s key for a resource of a %s key', (mode, other) => {
  // A PUT of an unknown id creates what it names.
  test.each(
    named(
      routes.filter(
        (route) => parameterOf(route) && !isLiveOnly(route) && route.method !== 'PUT' && !others.has(route.name),
      ),
    ),
  )('%s: answers like for an unknown id, and changes nothing', async (_name, route) => {
    const id = made[other][parameterOf(route)!]
    if (id === undefined) throw new Error(`this test creates no ${parameterOf(route)}`)
    const before = await rows()
    const answer = await request(mode, route, id)
    const unknown = await request(mode, route, id.slice(0, -4).padEnd(id.length, '0'))
    expectProblem(answer, 404, missing[parameterOf(route)!] ?? 'not_found')
    expect({ ...answer.body, request_id: '' }).toEqual({ ...unknown.body, request_id: '' })
    expect(await rows()).toEqual(before)
  })
})

test.each(named(routes.filter(isLiveOnly)))('%s refuses test keys, with the reason', async (_name, route) => {
  const before = await env.admin.query('select * from dispatch.domains')
  const answer = await request('test', route, made.live[parameterOf(route) ?? ''])
  expectProblem(answer, 403, 'permission_denied')
  expect(answer.body.detail).toMatch(new RegExp(`test key.*${permissionsFor(route.auth)?.key}.*live key`))
  expect((await env.admin.query('select * from dispatch.domains')).rows).toEqual(before.rows)
})

test.each(named(routes.filter((route) => !parameterOf(route) && !isLiveOnly(route))))(
  '%s: each mode creates and finds its own, and has its own Idempotency-Keys',
  async (_name, route) => {
    const headers = route.method === 'POST' ? { 'idempotency-key': `modes-${route.name}` } : {}
    const known = new Set((await rows()).map(({ id }) => id))
    for (const [mode, other] of modes) {
      const ask = prepare(mode, route, undefined, headers)
      let tries = 0
      const answer = await untilAvailable(() => {
        tries += 1
        return ask()
      })
      expect(answer.status).toBeLessThan(300)
      // A repetition may get the answer of a try that took too long.
      if (tries === 1) expect(answer.headers.get('idempotent-replayed')).toBeNull()
      for (const id of Object.values(made[other])) expect(answer.text).not.toContain(id)
      const fresh = (await rows()).filter(({ id }) => !known.has(id))
      expect(fresh.map((row) => row.mode)).toEqual(fresh.map(() => mode))
      for (const { id } of fresh) known.add(id)
    }
  },
)

test('a suppression affects only live keys, and a test key cannot detect it', async () => {
  const phone = freshPhone()
  const { operatorToken: token } = env
  const body = { channel: 'sms', recipient: phone }
  expect((await env.api('POST', '/api/v1/suppressions', { token, body })).status).toBe(201)
  expectProblem(await post(env, smsTo(phone)), 422, 'recipient_suppressed')
  expect((await post(env, smsTo(phone), { key: keys.test })).status).toBe(202)
})

test('the activity shows which items a test key sent, from the first state to the last', async () => {
  const { body } = await post(env, smsTo(freshPhone()), { key: keys.test })
  await untilActivity(env, body.notification_id, { mode: 'test', status: 'sent' })
  await untilActivity(env, made.live.notification_id!, { mode: 'live', status: 'scheduled' })
})

test('a key reads and cancels notifications of its own mode', async () => {
  for (const [mode] of modes) {
    const path = `/api/v1/notifications/${made[mode].notification_id}`
    expect((await env.api('GET', path, { key: keys[mode] })).body.delivery_status).toBe('scheduled')
    expect((await env.api('POST', `${path}/cancel`, { key: keys[mode] })).body.delivery_status).toBe('cancelled')
  }
})
