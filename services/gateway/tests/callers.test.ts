import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { eventually, TestEnv } from '@notify/dev-env'
import { mintApiKey } from '@notify/privacy'
import { activity, retry } from '@notify/test-kit/activity'
import { acceptedRows, expectProblem, post } from '@notify/test-kit/api'
import { addKey, operatorToken } from '@notify/test-kit/callers'
import { freshPhone, smsTo } from '@notify/test-kit/sms'

let env: TestEnv
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch'])
})
afterAll(() => env?.stop())

const send = (key: string | null, body: unknown = smsTo(freshPhone())) => post(env, body, { key })

describe('a request without a key that is in force is 401 with WWW-Authenticate', () => {
  const cases: [string, () => Record<string, string>][] = [
    ['nothing', () => ({ 'x-other': '1' })],
    ['another scheme', () => ({ authorization: `Basic ${Buffer.from(env.apiKey).toString('base64')}` })],
    ['no token', () => ({ authorization: 'Bearer ' })],
    ['two tokens', () => ({ authorization: `Bearer ${env.apiKey} ${env.apiKey}` })],
    [
      'a typing error',
      () => ({ authorization: `Bearer ${env.apiKey.slice(0, -1)}${env.apiKey.endsWith('0') ? 1 : 0}` }),
    ],
    ['half a key', () => ({ authorization: `Bearer ${env.apiKey.slice(0, 40)}` })],
    ['test in place of live', () => ({ authorization: `Bearer ${env.apiKey.replace('live', 'test')}` })],
    [
      'a key of the right form that nobody made',
      () => ({ authorization: `Bearer ${mintApiKey('live', 'key_01jd3x8qk5w9t2m4v6b8n0p2r4').apiKey}` }),
    ],
    [
      'a known id with another secret',
      () => ({ authorization: `Bearer ${mintApiKey('live', env.stack.state.keys.all.key_id).apiKey}` }),
    ],
    ['a token that is none', () => ({ authorization: 'Bearer eyJhbGciOiJub25lIn0.e30.' })],
  ]
  test.each(cases)('%s', async (_what, headers) => {
    const answer = await post(env, smsTo(freshPhone()), { key: null, headers: headers() })
    expectProblem(answer, 401, 'unauthenticated')
    expect(answer.headers.get('www-authenticate')).toBe('Bearer')
  })

  test('a key that was revoked, within a second or so', async () => {
    const { apiKey, keyId } = await addKey(env, env)
    expect((await send(apiKey)).status).toBe(202)
    await env.admin.query('update gateway.api_keys set revoked_at = now() where id = $1', [keyId])
    await eventually(async () => expectProblem(await send(apiKey), 401, 'unauthenticated'), { timeoutMs: 2000 })
  })
})

describe('an operator’s token counts only as the issuer made it', () => {
  const seconds = () => Math.floor(Date.now() / 1000)
  const cases: [string, () => string][] = [
    ['expired for longer than clocks differ', () => operatorToken(env, { exp: seconds() - 70 })],
    ['for another audience', () => operatorToken(env, { aud: 'urn:somebody:else' })],
    ['of another issuer', () => operatorToken(env, { iss: 'https://issuer.example' })],
    ['without an end', () => operatorToken(env, { exp: undefined })],
    ['by an unknown key', () => operatorToken(env, {}, { kid: 'unknown' })],
    ['unsigned', () => `${operatorToken(env, {}, { alg: 'none' }).split('.').slice(0, 2).join('.')}.`],
    ['altered', () => operatorToken(env, {}).replace(/\.[^.]{20}/, (part) => `${part.slice(0, -1)}A`)],
    ['signed by algorithm HS256 with the public key', () => operatorToken(env, {}, { alg: 'HS256' })],
    ['of a type for something else', () => operatorToken(env, {}, { typ: 'logout+jwt' })],
    ['without a type', () => operatorToken(env, {}, { typ: undefined })],
    ...(['sub', 'tenant_id'] as const).flatMap((claim): [string, () => string][] => [
      [`with NUL in ${claim}`, () => operatorToken(env, { [claim]: `${env.tenantId}\0` })],
      [`with half a surrogate pair in ${claim}`, () => operatorToken(env, { [claim]: `${env.tenantId}\ud83d` })],
      [`with a line break in ${claim}`, () => operatorToken(env, { [claim]: `a\nb` })],
      [`with 256 characters in ${claim}`, () => operatorToken(env, { [claim]: 'x'.repeat(256) })],
      [`with nothing in ${claim}`, () => operatorToken(env, { [claim]: '' })],
      [`with a number in ${claim}`, () => operatorToken(env, { [claim]: 7 })],
      [`with a list in ${claim}`, () => operatorToken(env, { [claim]: [env.tenantId] })],
      [`with null in ${claim}`, () => operatorToken(env, { [claim]: null })],
    ]),
    ['without a subject', () => operatorToken(env, { sub: undefined })],
    ['with permissions that are a number', () => operatorToken(env, { permissions: 1 })],
    ['with permissions that are an object', () => operatorToken(env, { permissions: { 'activity:read': true } })],
    ['with a permission that is no name', () => operatorToken(env, { permissions: ['activity:read', 1] })],
  ]
  test.each(cases)('%s: 401', async (_what, token) => {
    expectProblem(await activity(env, {}, token()), 401, 'unauthenticated')
  })

  test.each(['at+jwt', 'application/at+jwt', 'AT+JWT', 'JWT', 'application/jwt'])(
    'of the type %s: 200',
    async (typ) => {
      expect((await activity(env, {}, operatorToken(env, {}, { typ }))).status).toBe(200)
    },
  )

  test('with permissions as words of one text, known and unknown ones: 200', async () => {
    const permissions = 'made:up activity:read constructor'
    expect((await activity(env, {}, operatorToken(env, { permissions }))).status).toBe(200)
  })

  test('as it is: 200; without a tenant, or without the permission: 403', async () => {
    expect((await activity(env, {}, operatorToken(env, {}))).status).toBe(200)
    expectProblem(await activity(env, {}, operatorToken(env, { tenant_id: undefined })), 403, 'permission_denied')
    expectProblem(await activity(env, {}, operatorToken(env, { permissions: [] })), 403, 'permission_denied')
    const retryOnly = operatorToken(env, { permissions: ['activity:retry', 'made:up'] })
    expectProblem(await activity(env, {}, retryOnly), 403, 'permission_denied')
  })
})

describe('permissions', () => {
  test('a key without notifications:send is 403 permission_denied and sends nothing', async () => {
    const before = await acceptedRows(env)
    expectProblem(await send(env.apiKeyNoPermissions), 403, 'permission_denied')
    const { apiKey } = await addKey(env, env, { permissions: ['notifications:read', 'otp:send'] })
    expectProblem(await send(apiKey), 403, 'permission_denied')
    expect(await acceptedRows(env)).toEqual(before)
  })

  test('a key without notifications:read may send and not look', async () => {
    const { body } = await send(env.apiKeySendOnly)
    const path = `/api/v1/notifications/${body.notification_id}`
    expectProblem(await env.api('GET', path, { key: env.apiKeySendOnly }), 403, 'permission_denied')
    expect((await env.api('GET', path)).status).toBe(200)
  })

  test('a key is no operator, and an operator no key', async () => {
    expectProblem(await env.api('GET', '/api/v1/activity'), 403, 'permission_denied')
    expectProblem(await retry(env, 'notif_x', { token: env.apiKey }), 403, 'permission_denied')
    expectProblem(await send(env.operatorToken), 403, 'permission_denied')
  })

  test('a principal that comes from outside is nobody', async () => {
    const { payload } = { payload: operatorToken(env, {}) }
    const headers = { 'x-principal': payload }
    expectProblem(await env.api('GET', '/api/v1/activity', { key: null, headers }), 401, 'unauthenticated')
    const direct = await env.call('dispatch-api', 'POST', '/api/v1/activity/notif_x/retry', { headers })
    expectProblem(direct, 401, 'unauthenticated')
  })
})

test('of several faults the first in the documented order is reported', async () => {
  const to = freshPhone()
  const key = { 'idempotency-key': 'order-of-checks' }
  const event = (event_key: string, recipient: unknown, data = {}) => ({ channel: 'sms', event_key, recipient, data })
  await post(env, smsTo(to), { headers: key })
  const limited = await addKey(env, env, { permissions: [], perSecond: 1 })
  const seen: [string, number, string][] = []
  const note = async (what: string, request: Parameters<TestEnv['api']>[2]) => {
    const { status, body } = await env.api('POST', '/api/v1/notifications', request)
    seen.push([what, status, body.code])
  }
  await note('authentication before permission and JSON', { key: 'sk_live_wrong', raw: '{' })
  await note('permission before JSON', { key: env.apiKeyNoPermissions, raw: '{' })
  await eventually(async () => {
    const answer = await env.api('POST', '/api/v1/notifications', { key: limited.apiKey, raw: '{' })
    expectProblem(answer, 429, 'rate_limited')
  })
  await note('JSON before shape', { raw: '{"colour":', headers: key })
  await note('shape before idempotency', { body: { channel: 'sms', event_key: 'no.such' }, headers: key })
  await note('idempotency before event', { body: event('no.such', 'no phone'), headers: key })
  await note('event before channel and recipient', { body: event('no.such', 'no phone') })
  await note('channel before recipient', { body: event('invoice.ready', 'no phone') })
  await note('recipient before rendering', { body: event('order.shipped', 'no phone') })
  await note('rendering last', { body: event('order.shipped', to) })
  expect(seen).toEqual([
    ['authentication before permission and JSON', 401, 'unauthenticated'],
    ['permission before JSON', 403, 'permission_denied'],
    ['JSON before shape', 400, 'invalid_json'],
    ['shape before idempotency', 422, 'validation_failed'],
    ['idempotency before event', 409, 'idempotency_conflict'],
    ['event before channel and recipient', 404, 'event_not_found'],
    ['channel before recipient', 422, 'channel_not_allowed'],
    ['recipient before rendering', 422, 'invalid_recipient'],
    ['rendering last', 422, 'template_variable_missing'],
  ])
})

test('without a provider of the tenant a send is 409 provider_not_configured', async () => {
  await env.admin.query(`update dispatch.providers set channel = 'email'`)
  await eventually(async () => expectProblem(await send(env.apiKey), 409, 'provider_not_configured'))
  await env.admin.query(`update dispatch.providers set channel = 'sms'`)
  await eventually(async () => expect((await send(env.apiKey)).status).toBe(202))
})
