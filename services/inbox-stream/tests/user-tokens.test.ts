import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { applicationChanged, newId } from '@notify/contracts'
import { eventually, mintUserToken, TestEnv } from '@notify/dev-env'
import { expectProblem } from '@notify/test-kit/api'
import { openBus } from '@notify/test-kit/bus'
import { addApplication, addKey } from '@notify/test-kit/callers'
import { freshUser, inbox, sendInApp, untilInbox, userToken } from '@notify/test-kit/inbox'
import { importJWK, type JWK, SignJWT } from 'jose'
import { readEvents } from './read-events.ts'

const path = '/api/v1/in-app/tokens'
/** Published and verifying, not yet signing. */
const next = keyPair('next')

let env: TestEnv
beforeAll(async () => {
  const variables: Record<string, string> = {}
  env = await TestEnv.start(['gateway', 'dispatch', 'inbox-stream'], {
    env: { 'inbox-stream': variables },
    onStack({ wiring }) {
      variables.USER_TOKEN_KEYS = JSON.stringify({ keys: [wiring.state.user_token_key, next] })
    },
  })
})
afterAll(() => env?.stop())

function keyPair(kid: string): JWK & { kid: string } {
  return { ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }), kid }
}

interface Forgery {
  header?: object
  claims?: Record<string, unknown>
  expires?: string
}

/** A token as the service would issue it, but for what is given. */
async function forge(key: JWK & { kid: string }, { header = {}, claims = {}, expires = '1h' }: Forgery = {}) {
  const own = {
    iss: 'notification-service',
    aud: 'urn:notify:inbox',
    sub: 'ada',
    tenant_id: env.tenantId,
    application_id: env.applicationId,
    mode: 'live',
  }
  const jwt = new SignJWT({ ...own, ...claims }).setProtectedHeader({
    alg: 'ES256',
    typ: 'user+jwt',
    kid: key.kid,
    ...header,
  })
  return jwt
    .setIssuedAt()
    .setExpirationTime(expires)
    .sign(await importJWK(key, 'ES256'))
}

const ours = () => env.stack.state.user_token_key as JWK & { kid: string }
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

test('a token opens the inbox of its user, and of nobody else', async () => {
  const [ada, bob] = [freshUser(), freshUser()]
  await sendInApp(env, ada)
  expect((await untilInbox(env, await userToken(env, ada), 1)).unread_count).toBe(1)
  expect((await inbox(env, await userToken(env, bob))).body).toEqual({
    unread_count: 0,
    notifications: [],
    next_cursor: null,
  })
})

test('the demo user of a development stack has a token', async () => {
  const { body } = await inbox(env, mintUserToken(env.stack.state))
  expect(body).toMatchObject({ unread_count: 0, notifications: [] })
})

test('a token says when it expires, and lives an hour by default', async () => {
  for (const [ttl, fields] of [
    [3600, {}],
    [86_400, { ttl_seconds: 86_400 }],
    [1, { ttl_seconds: 1 }],
  ] as const) {
    const begunMs = Date.now()
    const { body } = await env.api('POST', path, { body: { user_id: 'ada', ...fields } })
    const madeMs = Date.parse(body.expires_at) - ttl * 1000
    expect(madeMs).toBeGreaterThan(begunMs - 2000)
    expect(madeMs).toBeLessThan(Date.now() + 2000)
    const claims = JSON.parse(Buffer.from(body.token.split('.')[1], 'base64url').toString())
    expect(claims).toMatchObject({ sub: 'ada', tenant_id: env.tenantId, application_id: env.applicationId })
    expect(claims.exp * 1000).toBe(Date.parse(body.expires_at))
  }
})

test.each<[string, object]>([
  ['no user', {}],
  ['an empty user', { user_id: '' }],
  ['a user of 1,000 characters', { user_id: 'u'.repeat(1000) }],
  ['a user with NUL', { user_id: 'a\0b' }],
  ['half a character', { user_id: '\ud800' }],
  ['a lifetime of 0', { user_id: 'ada', ttl_seconds: 0 }],
  ['more than a day', { user_id: 'ada', ttl_seconds: 86_401 }],
  ['a lifetime that is no number', { user_id: 'ada', ttl_seconds: '60' }],
  ['an unknown field', { user_id: 'ada', tenant_id: 'ten_1' }],
])('a token for %s is 422', async (_what, body) => {
  expectProblem(await env.api('POST', path, { body }), 422, 'validation_failed')
})

test('a key without the permission gets no token, and neither does an operator or a user', async () => {
  const body = { user_id: 'ada' }
  expectProblem(await env.api('POST', path, { body, key: env.apiKeySendOnly }), 403, 'permission_denied')
  expectProblem(await env.api('POST', path, { body, token: env.operatorToken }), 403, 'permission_denied')
  expectProblem(await env.api('POST', path, { body, token: await userToken(env, 'ada') }), 401, 'unauthenticated')
})

test('the same Idempotency-Key gives the same token', async () => {
  const request = { body: { user_id: 'ada' }, headers: { 'idempotency-key': 'token-1' } }
  const [first, again] = [await env.api('POST', path, request), await env.api('POST', path, request)]
  expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true'])
})

test('all keys are published without their private halves, and all of them verify', async () => {
  const { status, body } = await env.api('GET', '/.well-known/jwks.json', { key: null })
  const halves = [ours(), next].map(({ kty, crv, x, y, kid }) => ({ kty, crv, x, y, kid, alg: 'ES256', use: 'sig' }))
  expect([status, body]).toEqual([200, { keys: halves }])
  expect((await inbox(env, await forge(next))).status).toBe(200)
  const { token } = (await env.api('POST', path, { body: { user_id: 'ada' } })).body
  expect(JSON.parse(Buffer.from(token.split('.')[0], 'base64url').toString()).kid).toBe(ours().kid)
})

test.each<[string, () => Promise<string> | string]>([
  ['no token at all', () => ''],
  ['an API key', () => env.apiKey],
  ["an operator's token", () => env.operatorToken],
  ['one that expired', () => forge(ours(), { expires: '-1s' })],
  ['one for another audience', () => forge(ours(), { claims: { aud: 'urn:notify:api' } })],
  ['one of another issuer', () => forge(ours(), { claims: { iss: 'elsewhere' } })],
  ['one of another type', () => forge(ours(), { header: { typ: 'principal+jwt' } })],
  ['one signed by a key that was removed', () => forge(keyPair('removed'))],
  ["one signed by another key under ours's name", () => forge(keyPair(ours().kid))],
  ['one without a tenant', () => forge(ours(), { claims: { tenant_id: undefined } })],
  ['one without a user', () => forge(ours(), { claims: { sub: undefined } })],
  ['alg none', async () => `${encode({ alg: 'none', typ: 'user+jwt' })}.${(await forge(ours())).split('.')[1]}.`],
  [
    'HS256 with the public key as its secret',
    async () => {
      const { d: _, ...half } = ours()
      const pem = createPublicKey({ key: half as never, format: 'jwk' }).export({ type: 'spki', format: 'pem' })
      const [, claims = ''] = (await forge(ours())).split('.')
      const payload = JSON.parse(Buffer.from(claims, 'base64url').toString())
      const header = { alg: 'HS256', typ: 'user+jwt', kid: ours().kid }
      return new SignJWT(payload).setProtectedHeader(header).sign(Buffer.from(pem))
    },
  ],
  [
    'one that was changed',
    async () => (await forge(ours())).replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')).replace(/\.(.)/, '.X'),
  ],
])('%s opens nothing', async (_what, make) => {
  const headers = { authorization: `Bearer ${await make()}` }
  for (const at of ['/api/v1/inbox', '/api/v1/in-app/stream']) {
    for (const process of ['gateway', 'inbox-stream'] as const) {
      const answer = await env.call(process, 'GET', at, { headers })
      expectProblem(answer, 401, 'unauthenticated')
      expect(answer.headers.get('www-authenticate')).toBe('Bearer')
    }
  }
})

test.each(['>', '*', 'a.b', 'inbox.live.>', ' ', 'ä', '💥', '../..', `o'x`, 'x'.repeat(255)])(
  'the user %j has an inbox and a stream of its own',
  async (user) => {
    const [token, other] = [await userToken(env, user), await userToken(env, freshUser())]
    const [own, foreign] = [await readEvents(env, token), await readEvents(env, other)]
    await sendInApp(env, user, { body: 'for this one' })
    await own.until('notification.created')
    expect((await untilInbox(env, token, 1)).notifications[0].body).toBe('for this one')
    await sendInApp(env, user)
    await own.until('notification.created', 2)
    expect(foreign.events.map(({ event }) => event)).toEqual(['connection.ready'])
    own.close()
    foreign.close()
  },
)

test('notifications of a test key have an inbox of their own', async () => {
  const user = freshUser()
  const permissions = ['notifications:send', 'inbox:token']
  const { apiKey } = await addKey(env, env, { permissions, mode: 'test' })
  const made = await env.api('POST', path, { key: apiKey, body: { user_id: user } })
  const message = { channel: 'in_app', recipient: user, body: 'only a test' }
  expect((await env.api('POST', '/api/v1/notifications', { key: apiKey, body: message })).status).toBe(202)
  await untilInbox(env, made.body.token, 1)
  expect((await inbox(env, await userToken(env, user))).body.notifications).toEqual([])
})

const origin = 'http://localhost:5173'

test('pages of listed origins may call, others may not', async () => {
  const token = await userToken(env, freshUser())
  const answer = await env.api('GET', '/api/v1/inbox', { token, headers: { origin } })
  expect(answer.headers.get('access-control-allow-origin')).toBe(origin)
  expect(answer.headers.get('vary')).toBe('Origin, Accept-Encoding')
  const stream = await readEvents(env, token, { headers: { origin } })
  expect(stream.headers.get('access-control-allow-origin')).toBe(origin)
  stream.close()
  const refused = await env.api('GET', '/api/v1/inbox', { token: 'x', headers: { origin } })
  expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([401, origin])
  for (const other of ['https://evil.example', 'null', `${origin}.evil.example`, 'x'.repeat(4000)]) {
    const { status, headers } = await env.api('GET', '/api/v1/inbox', { token, headers: { origin: other } })
    expect([status, headers.get('access-control-allow-origin')]).toEqual([200, null])
  }
  const unasked = await env.api('POST', path, { body: { user_id: 'ada' }, headers: { origin } })
  expect(unasked.headers.get('access-control-allow-origin')).toBeNull()
})

test('a preflight request is answered for listed origins, with the headers that clients send', async () => {
  const ask = (at: string, from: string) =>
    env.api('OPTIONS', at, {
      key: null,
      headers: {
        origin: from,
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'authorization',
      },
    })
  const { status, headers } = await ask('/api/v1/in-app/stream', origin)
  expect([status, headers.get('access-control-allow-origin')]).toEqual([204, origin])
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('access-control-allow-headers')).toBe('Authorization, Content-Type, Last-Event-ID')
  expect((await ask('/api/v1/inbox/inapp_1', origin)).headers.get('access-control-allow-methods')).toBe('PATCH, DELETE')
  expect((await ask('/api/v1/inbox', 'https://evil.example')).headers.get('access-control-allow-origin')).toBeNull()
  expectProblem(await ask(path, origin), 405, 'method_not_allowed')
})

/** An application with a user, and the gateway's events about its changes. */
async function changingApplication() {
  const { tenantId, applicationId } = await addApplication(env)
  const { apiKey } = await addKey(env, { tenantId, applicationId }, { permissions: ['inbox:token'] })
  const { token } = (await env.api('POST', path, { key: apiKey, body: { user_id: 'ada' } })).body
  const own = { application_id: applicationId, tenant_id: env.tenantId, otp: {} }
  const first = { ...own, allowed_origins: [], status: 'active' }
  const publish = async (change: object) => {
    await using bus = await openBus(env)
    const event = { ...first, ...change }
    await bus.js.publish(applicationChanged.subject, JSON.stringify([{ event }]), { msgID: newId('msg') })
  }
  return { token: token as string, publish }
}

test('a revoked application ends the streams of its users, and admits them no longer', async () => {
  const { token, publish } = await changingApplication()
  const stream = await readEvents(env, token)
  await publish({ revision: 2, status: 'revoked' })
  await stream.untilEnd()
  await eventually(async () => expectProblem(await inbox(env, token), 401, 'unauthenticated'))
  // An older picture changes nothing.
  await publish({ revision: 1, status: 'active' })
  await publish({ revision: 3, status: 'active' })
  await eventually(async () => expect((await inbox(env, token)).status).toBe(200))
})

test('the origins of an application change as the gateway publishes them', async () => {
  const { token, publish } = await changingApplication()
  const from = 'https://shop.example'
  const allowed = async () =>
    (await env.api('GET', '/api/v1/inbox', { token, headers: { origin: from } })).headers.get(
      'access-control-allow-origin',
    )
  await publish({ revision: 1, allowed_origins: [from] })
  await eventually(async () => expect(await allowed()).toBe(from))
  await publish({ revision: 2, allowed_origins: ['https://other.example'] })
  await eventually(async () => expect(await allowed()).toBeNull())
})

test('a stream ends when its token expires', async () => {
  const { token, stream } = await eventually(async () => {
    const token = await userToken(env, freshUser(), { ttl_seconds: 5 })
    return { token, stream: await readEvents(env, token) }
  })
  await stream.untilEnd()
  expectProblem(await inbox(env, token), 401, 'unauthenticated')
})
