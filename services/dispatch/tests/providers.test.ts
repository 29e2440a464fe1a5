import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { addBareTenant, operatorToken } from '@notify/test-kit/other-callers'
import { expectProblem, freshPhone, post, untilState } from '@notify/test-kit/sms'
import { type ApiRequest, eventually, TestEnv } from '../../../packages/dev-env/src/index.ts'

let env: TestEnv
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks', 'webhook-delivery'], {
    apart: ['dispatch-api', 'dispatch-worker'],
  })
}, 90_000)
afterAll(() => env?.stop())

const path = '/api/v1/providers'
const call = (method: string, url: string, request: ApiRequest = {}) =>
  env.api(method, url, { token: env.operatorToken, ...request })
const of = (id: string, rest = '') => `${path}/${id}${rest}`

const token = 'b'.repeat(28)
const twilio = (fields: object = {}) => ({
  channel: 'sms',
  kind: 'twilio',
  name: 'Second account',
  credentials: { account_sid: `AC${'c'.repeat(32)}`, auth_token: `${token}9a8b`, from: '+15005550007' },
  ...fields,
})
const webhook = (fields: object = {}) => ({ channel: 'webhook', kind: 'webhook', name: 'Hooks', ...fields })
const whatsapp = (fields: object = {}, rest: object = {}) => ({
  channel: 'whatsapp',
  kind: 'whatsapp_cloud',
  name: 'Number',
  credentials: {
    phone_number_id: String(10 ** 12 + Math.floor(Math.random() * 10 ** 12)),
    business_account_id: '4711',
    access_token: 'EAA-this-is-an-access-token',
    ...fields,
  },
  ...rest,
})

async function create(body: object, request: ApiRequest = {}) {
  const answer = await call('POST', path, { body, ...request })
  expect([answer.status, answer.body.errors]).toEqual([201, undefined])
  return answer.body
}

const pathsOf = ({ body }: { body: { errors?: { path: string }[] } }) => body.errors?.map((one) => one.path)

test('every kind describes the fields of its credentials, and marks those that are secret or made by us', async () => {
  const { status, body } = await call('GET', '/api/v1/provider-kinds')
  expect(status).toBe(200)
  const kinds = body.items as {
    kind: string
    channel: string
    rotates_secret: boolean
    credentials: { title: string; properties: Record<string, Record<string, unknown>> }
  }[]
  const marked = (mark: string) =>
    kinds.flatMap(({ kind, credentials }) =>
      Object.entries(credentials.properties).flatMap(([field, one]) => (one[mark] ? [`${kind}.${field}`] : [])),
    )
  expect(kinds.map(({ kind, channel }) => `${kind} ${channel}`)).toEqual([
    'twilio sms',
    'ses email',
    'smtp email',
    'whatsapp_cloud whatsapp',
    'webhook webhook',
  ])
  expect(kinds.filter((one) => one.rotates_secret).map(({ kind }) => kind)).toEqual(['webhook'])
  expect(marked('readOnly')).toEqual(['webhook.secret', 'webhook.previous_secret', 'webhook.previous_until'])
  expect(marked('writeOnly')).toEqual([
    'twilio.auth_token',
    'ses.secret_access_key',
    'smtp.password',
    'whatsapp_cloud.access_token',
    'whatsapp_cloud.app_secret',
    'whatsapp_cloud.verify_token',
    'webhook.secret',
    'webhook.previous_secret',
  ])
  for (const { credentials } of kinds) {
    expect([credentials.title, ...Object.values(credentials.properties).map(({ title }) => title)]).toEqual(
      expect.not.arrayContaining([undefined]),
    )
  }
})

test('credentials go in and never come out: of secrets the last four characters show', async () => {
  const made = await create(twilio())
  expect(made).toEqual({
    provider_id: expect.stringMatching(/^prov_/),
    application_id: null,
    subscription_id: null,
    channel: 'sms',
    kind: 'twilio',
    name: 'Second account',
    priority: 2,
    rate_limit_per_second: null,
    credentials: { account_sid: `AC${'c'.repeat(32)}`, auth_token: '****9a8b', from: '+15005550007' },
    credentials_updated_at: expect.any(String),
    callback_url: expect.stringContaining('/api/v1/callbacks/smsprovider/inbound'),
    created_at: expect.any(String),
    updated_at: expect.any(String),
  })
  expect((await call('GET', of(made.provider_id))).body).toEqual(made)
  const listed = await call('GET', `${path}?channel=sms`)
  expect(listed.body.items[0]).toEqual(made)
  expect(listed.text).not.toContain(token)
  await call('DELETE', of(made.provider_id))
})

test('a new provider comes after all others, and takes over when it is put first; deleted, nothing is sent through it', async () => {
  const own = { account_sid: env.stack.state.twilio_account_sid, auth_token: env.stack.state.twilio_auth_token }
  const made = await create(twilio({ credentials: { ...own, from: '+15005550111' } }))
  const senderOf = async () => {
    const phone = freshPhone()
    await post(env, { channel: 'sms', recipient: { phone }, body: 'Hi' })
    return eventually(async () => {
      const [message] = await env.messages({ to: phone })
      expect(message).toBeDefined()
      return message!.from
    })
  }
  expect(await senderOf()).toBe('+15005550006')
  const changed = await call('PATCH', of(made.provider_id), { body: { priority: 0, name: 'First' } })
  expect([changed.status, changed.body]).toMatchObject([
    200,
    { priority: 0, name: 'First', credentials: made.credentials },
  ])
  await eventually(async () => expect(await senderOf()).toBe('+15005550111'))
  // A receipt of what is under way still counts after the deletion.
  const late = await post(env, { channel: 'sms', recipient: { phone: freshPhone() }, body: 'Hi' })
  await call('DELETE', of(made.provider_id))
  await untilState(env, late.body.notification_id, { delivery_status: 'delivered' })
  expectProblem(await call('GET', of(made.provider_id)), 404, 'not_found')
  expectProblem(await call('DELETE', of(made.provider_id)), 404, 'not_found')
  await eventually(async () => expect(await senderOf()).toBe('+15005550006'))
})

test('of changes that are based on one state, one succeeds; a later one names the new state', async () => {
  const { provider_id, updated_at } = await create(twilio())
  const change = (on: string, name: string) =>
    call('PATCH', `${of(provider_id)}?expected_updated_at=${on}`, { body: { name } })
  const answers = await Promise.all(['a', 'b', 'c', 'd'].map((name) => change(updated_at, name)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
  expectProblem(answers.find(({ status }) => status === 409)!, 409, 'edit_conflict')
  const { body: present } = answers.find(({ status }) => status === 200)!
  expect((await call('GET', of(provider_id))).body).toEqual(present)
  expect((await change(present.updated_at, 'e')).body.name).toBe('e')
  await call('DELETE', of(provider_id))
})

test('credentials are replaced field by field, and the old ones are used no more', async () => {
  const made = await create(twilio())
  const change = (credentials: object) => call('PATCH', of(made.provider_id), { body: { credentials } })
  expect((await change({ auth_token: `${token}0000` })).body.credentials).toMatchObject({
    account_sid: made.credentials.account_sid,
    auth_token: '****0000',
  })
  const moved = await change({ from: null, messaging_service_sid: `MG${'d'.repeat(32)}` })
  expect(Object.keys(moved.body.credentials)).not.toContain('from')
  expect(pathsOf(await change({ auth_token: 'short' }))).toEqual(['credentials.auth_token'])
  expect(pathsOf(await change({ auth_token: null }))).toEqual(['credentials.auth_token'])
  expect(pathsOf(await change({ colour: 'blue' }))).toEqual(['credentials.colour'])
  expect((await call('GET', of(made.provider_id))).body.credentials).toEqual(moved.body.credentials)
  await eventually(async () => {
    const { rows } = await env.admin.query('select revision, sender from callbacks.providers where id = $1', [
      made.provider_id,
    ])
    expect(rows).toEqual([{ revision: 3, sender: `MG${'d'.repeat(32)}` }])
  })
  await call('DELETE', of(made.provider_id))
})

test.each<[string, object, string[]]>([
  ['a kind nobody knows', twilio({ kind: 'pigeon' }), ['kind']],
  ['a kind that objects inherit', twilio({ kind: 'constructor' }), ['kind']],
  ['another channel than its kind', twilio({ channel: 'email' }), ['channel']],
  ['no name', twilio({ name: ' ' }), ['name']],
  ['a NUL in its name', twilio({ name: 'a\u0000' }), ['name']],
  ['a priority below 0', twilio({ priority: -1 }), ['priority']],
  ['a rate of 0', twilio({ rate_limit_per_second: 0 }), ['rate_limit_per_second']],
  ['no credentials', twilio({ credentials: {} }), ['credentials.account_sid', 'credentials.auth_token']],
  ['credentials that are no texts', twilio({ credentials: { account_sid: 7 } }), ['credentials.account_sid']],
  ['huge credentials', twilio({ credentials: { auth_token: 'x'.repeat(9000) } }), ['credentials.auth_token']],
  [
    'a field that its kind does not have',
    twilio({ credentials: { ...twilio().credentials, colour: 'blue' } }),
    ['credentials.colour'],
  ],
  [
    'a webhook secret of its own',
    webhook({ credentials: { secret: `whsec_${'a'.repeat(32)}` } }),
    ['credentials.secret'],
  ],
  ['delays that are none', webhook({ credentials: { retry_delays: 'soon' } }), ['credentials.retry_delays']],
  ['a number that is none', whatsapp({ phone_number_id: 'x' }), ['credentials.phone_number_id']],
  ['a token with a line break', whatsapp({ access_token: 'abcdefgh\r\nX: y' }), ['credentials.access_token']],
  ['a field nobody knows', twilio({ tenant_id: 'x' }), ['tenant_id']],
])('a provider with %s is 422 naming the field, and is not stored', async (_what, body, paths) => {
  const before = await env.admin.query('select from dispatch.providers')
  const answer = await call('POST', path, { body })
  expectProblem(answer, 422, 'validation_failed')
  expect(pathsOf(answer)).toEqual(paths)
  expect(answer.text).not.toContain('Invalid input')
  expect((await env.admin.query('select from dispatch.providers')).rowCount).toBe(before.rowCount)
})

test('a body that pollutes is refused', async () => {
  for (const field of ['__proto__', 'constructor', 'prototype']) {
    const raw = JSON.stringify(twilio()).replace('"account_sid"', `"${field}":"x","account_sid"`)
    const answer = await call('POST', path, { raw, headers: { 'content-type': 'application/json' } })
    expectProblem(answer, 422, 'validation_failed')
  }
})

const smtp = (host: string, port = '587') => ({
  channel: 'email',
  kind: 'smtp',
  name: 'Relay',
  credentials: { host, port, security: 'none', from: 'no-reply@example.com' },
})

test.each([
  '127.0.0.1',
  '10.0.0.1',
  '169.254.169.254',
  '168.63.129.16',
  '2130706433',
  'localhost',
  'mail.internal',
  'redis',
])('the mail server %s of a tenant may not be called', async (host) => {
  const refused = await call('POST', path, { body: smtp(host) })
  expectProblem(refused, 422, 'destination_not_allowed')
  expect(pathsOf(refused)).toEqual(['credentials.host'])
})

test('a test call says what came back from the carrier, good or bad', async () => {
  const { state } = env.stack
  const check = async (id: string) => {
    const answer = await call('POST', of(id, '/test'))
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ provider_id: id, duration_ms: expect.any(Number) })
    return answer.body
  }
  const { twilio_provider_id, ses_provider_id, meta_provider_id, meta_own_provider_id } = state
  for (const id of [twilio_provider_id, ses_provider_id, meta_provider_id, meta_own_provider_id])
    expect(await check(id)).toMatchObject({ ok: true, code: null, message: expect.stringMatching(/account|number/) })
  const wrong = [
    twilio({
      credentials: { account_sid: state.twilio_account_sid, auth_token: `${token}wrong`, from: '+15005550006' },
    }),
    {
      channel: 'email',
      kind: 'ses',
      name: 'Wrong',
      credentials: {
        region: 'us-east-1',
        access_key_id: state.ses_access_key_id,
        secret_access_key: 'wrong-wrong-wrong-wrong',
        from: 'no-reply@demo-shop.example',
      },
    },
    whatsapp(),
  ]
  for (const body of wrong) {
    const { provider_id } = await create(body)
    const result = await check(provider_id)
    expect(result).toMatchObject({ ok: false, code: expect.any(String) })
    expect(JSON.stringify(result)).not.toMatch(/wrong-wrong|EAA-this/)
    await call('DELETE', of(provider_id))
  }
})

test('a number of another tenant cannot be connected, also of many who try at the same moment', async () => {
  const other = await addBareTenant(env)
  const stranger = operatorToken(env, { tenant_id: other.tenantId, permissions: ['providers:manage'] })
  const taken = whatsapp({ phone_number_id: env.stack.state.meta_phone_number_id })
  expectProblem(await call('POST', path, { body: taken, token: stranger }), 409, 'provider_already_connected')
  const fresh = whatsapp()
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, at) =>
      call('POST', path, at % 2 ? { body: fresh } : { body: fresh, token: stranger }),
    ),
  )
  const winners = answers.map(({ status }, at) => [status, at % 2] as const).filter(([status]) => status === 201)
  expect(new Set(winners.map(([, who]) => who)).size).toBe(1)
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(3)
  // Nor by a change; a number is not given free while its receipts still count.
  const own = await create(whatsapp(), { token: stranger })
  const change = { credentials: { phone_number_id: env.stack.state.meta_phone_number_id } }
  expectProblem(
    await call('PATCH', of(own.provider_id), { body: change, token: stranger }),
    409,
    'provider_already_connected',
  )
  await call('DELETE', of(own.provider_id), { token: stranger })
  const again = whatsapp({ phone_number_id: own.credentials.phone_number_id })
  expectProblem(await call('POST', path, { body: again }), 409, 'provider_already_connected')
})

test('an app of one’s own gets a token for its registration, shown once, and its templates are read at once', async () => {
  const made = await create(whatsapp({ app_secret: 'app-secret-of-ours' }))
  expect(made.verify_token).toMatch(/^[\w-]{32}$/)
  expect(made.credentials).toMatchObject({ app_secret: '****ours', verify_token: `****${made.verify_token.slice(-4)}` })
  expect(made.callback_url).toBe(`${env.stack.url('gateway')}/api/v1/callbacks/cloud/${made.provider_id}`)
  const shown = await call('GET', of(made.provider_id))
  expect(shown.text).not.toContain(made.verify_token)
  const query = new URLSearchParams({
    'hub.mode': 'subscribe',
    'hub.verify_token': made.verify_token,
    'hub.challenge': '1158201444',
  })
  await eventually(async () => {
    const answer = await env.api('GET', `/api/v1/callbacks/cloud/${made.provider_id}?${query}`, { key: null })
    expect([answer.status, answer.text]).toEqual([200, '1158201444'])
  })
  await eventually(async () => {
    const { rows } = await env.admin.query('select from dispatch.carrier_template_syncs where provider_id = $1', [
      made.provider_id,
    ])
    expect(rows).toHaveLength(1)
  })
  expect((await create(whatsapp())).callback_url).toContain('/cloud/shared')
})

test('a signing secret is made by us, shown once, and rotated with an overlap of a day', async () => {
  const made = await create(webhook({ credentials: { retry_delays: '1s,5s' } }))
  expect(made.secret).toMatch(/^whsec_[A-Za-z0-9+/]+=*$/)
  expect((await call('GET', of(made.provider_id))).text).not.toContain(made.secret)
  const rotate = (request: ApiRequest = {}) => call('POST', of(made.provider_id, '/rotate-secret'), request)
  const headers = { 'idempotency-key': 'rotate-1' }
  const rotated = await rotate({ headers })
  expect(rotated.body).toEqual({
    provider_id: made.provider_id,
    secret: expect.stringMatching(/^whsec_/),
    previous_valid_until: expect.any(String),
  })
  expect(rotated.body.secret).not.toBe(made.secret)
  const hours = (Date.parse(rotated.body.previous_valid_until) - Date.now()) / 3_600_000
  expect(Math.round(hours)).toBe(24)
  expect((await rotate({ headers })).text).toBe(rotated.text)
  await eventually(async () => {
    const { rows } = await env.admin.query(
      'select revision, previous_secret is not null as has_previous, previous_until from webhook_delivery.providers where id = $1',
      [made.provider_id],
    )
    expect(rows).toEqual([
      { revision: 2, has_previous: true, previous_until: new Date(rotated.body.previous_valid_until) },
    ])
  })
  const refused = await call('POST', of(env.stack.state.twilio_provider_id, '/rotate-secret'))
  expectProblem(refused, 409, 'secret_of_carrier')
})

test('with one Idempotency-Key many make one provider, and its secrets are kept encrypted', async () => {
  const headers = { 'idempotency-key': 'provider-1' }
  const answers = await Promise.all(Array.from({ length: 6 }, () => call('POST', path, { body: webhook(), headers })))
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201))
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  const { rows } = await env.admin.query(`select response from dispatch.idempotency_keys where key = 'provider-1'`)
  expect(Buffer.from(rows[0].response, 'base64').toString() + rows[0].response).not.toContain(answers[0]!.body.secret)
})

test('only operators with providers:manage come near, and only to their own tenant’s', async () => {
  const { provider_id: id } = await create(webhook())
  const other = await addBareTenant(env)
  const mayNot = operatorToken(env, { permissions: ['activity:read', 'events:manage'] })
  const stranger = operatorToken(env, { tenant_id: other.tenantId, permissions: ['providers:manage'] })
  const routes: [string, string, object?][] = [
    ['GET', path],
    ['POST', path, webhook()],
    ['GET', of(id)],
    ['PATCH', of(id), { name: 'x' }],
    ['DELETE', of(id)],
    ['POST', of(id, '/test')],
    ['POST', of(id, '/rotate-secret')],
  ]
  for (const [method, url, body] of routes) {
    const request = body ? { body } : {}
    expectProblem(await env.api(method, url, { ...request, token: mayNot }), 403, 'permission_denied')
    expectProblem(await env.api(method, url, request), 403, 'permission_denied')
    expectProblem(await env.api(method, url, { ...request, key: null }), 401, 'unauthenticated')
    if (url === path) continue
    const foreign = await env.api(method, url, { ...request, token: stranger })
    expectProblem(foreign, 404, 'not_found')
    const unknown = await env.api(method, url.replace(id, newId('prov')), { ...request, token: stranger })
    expect(unknown.body.detail).toBe(foreign.body.detail)
  }
  expect((await env.api('GET', path, { token: stranger })).body.items).toEqual([])
  const foreignApplication = await call('POST', path, { body: webhook({ application_id: other.applicationId }) })
  expect(pathsOf(foreignApplication)).toEqual(['application_id'])
  for (const query of ['limit=0', 'limit=101', 'cursor=x', 'channel=fax'])
    expectProblem(await call('GET', `${path}?${query}`), 422, 'validation_failed')
})

test('each change stands in the audit log, and no secret does', async () => {
  const made = await create(twilio())
  await call('PATCH', of(made.provider_id), { body: { credentials: { auth_token: `${token}1111` } } })
  await call('DELETE', of(made.provider_id))
  const entries = await eventually(async () => {
    const { rows } = await env.admin.query(
      'select action, actor_kind, before, after from gateway.audit_log where resource_id = $1 order by id',
      [made.provider_id],
    )
    expect(rows).toHaveLength(3)
    return rows
  })
  expect(entries.map(({ action }) => action)).toEqual(['provider.created', 'provider.changed', 'provider.deleted'])
  expect(entries[1].after).toHaveProperty('credentials')
  expect(JSON.stringify(entries)).not.toContain(token)
})

test('a provider of the bootstrap document that an operator has changed or deleted stays so over a restart', async () => {
  const { meta_own_provider_id: id, meta_provider_id: deleted } = env.stack.state
  await call('PATCH', of(id), { body: { name: 'Renamed', priority: 7 } })
  await call('DELETE', of(deleted))
  await env.restart('dispatch-api')
  expect((await call('GET', of(id))).body).toMatchObject({ name: 'Renamed', priority: 7 })
  expectProblem(await call('GET', of(deleted)), 404, 'not_found')
}, 60_000)

test('long after its deletion a provider’s credentials are erased, and its callbacks are not verified any more', async () => {
  const made = await create(twilio())
  await eventually(async () => {
    const { rows } = await env.admin.query('select from callbacks.providers where id = $1', [made.provider_id])
    expect(rows).toHaveLength(1)
  })
  await call('DELETE', of(made.provider_id))
  await env.admin.query(`update dispatch.providers set deleted_at = now() - interval '8 days' where id = $1`, [
    made.provider_id,
  ])
  await env.restart('dispatch-worker')
  await eventually(async () => {
    const { rows } = await env.admin.query('select from callbacks.providers where id = $1', [made.provider_id])
    expect(rows).toHaveLength(0)
  })
}, 60_000)

test('a test call of a mail server whose name does not resolve says so', async () => {
  const { provider_id } = await create(smtp('mail.never-registered.example.com'))
  const answer = await call('POST', of(provider_id, '/test'))
  expect(answer.body).toMatchObject({
    ok: false,
    code: expect.any(String),
    message: expect.stringContaining('reached'),
  })
})
