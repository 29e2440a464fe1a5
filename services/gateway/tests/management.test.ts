import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { operatorToken } from '@notify/test-kit/other-callers'
import { expectProblem, freshPhone, post, smsTo } from '@notify/test-kit/sms'
import { newId, OperatorPermission } from '../../../packages/contracts/src/index.ts'
import { eventually, TestEnv } from '../../../packages/dev-env/src/index.ts'

let env: TestEnv
let token: string

beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'consent', 'webhook-delivery'], { apart: ['gateway'] })
  token = env.operatorToken
}, 60_000)
afterAll(() => env?.stop())

const call = (method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown, as = token) =>
  env.api(method, `/api/v1${path}`, { token: as, ...(body === undefined ? {} : { body }) })

async function newApplication(body: object = {}) {
  const answer = await call('POST', '/applications', { name: 'Shop', ...body })
  expect(answer.status).toBe(201)
  return answer.body
}

async function newKey(applicationId: string, body: object = {}) {
  const settings = { name: 'Server', permissions: ['notifications:send', 'notifications:read'], ...body }
  const answer = await call('POST', `/applications/${applicationId}/keys`, settings)
  expect(answer.status).toBe(201)
  return answer.body
}

/** The newest entries of the audit log that concern a resource. */
async function auditOf(resourceId: string) {
  const { body } = await call('GET', `/audit-log?resource_id=${resourceId}`)
  return body.items as { action: string; actor: object; before: unknown; after: unknown; request_id: string }[]
}

const untilAudited = (resourceId: string, actions: readonly string[]) =>
  eventually(async () => {
    const entries = await auditOf(resourceId)
    expect(entries.map(({ action }) => action)).toEqual(actions)
    return entries
  })

describe('applications', () => {
  test('are created, changed, listed and deleted by an operator alone', async () => {
    const made = await newApplication({ allowed_origins: ['https://a.example'], otp: { allowed_countries: ['+49'] } })
    const path = `/applications/${made.application_id}`
    expect(made).toMatchObject({
      name: 'Shop',
      allowed_origins: ['https://a.example'],
      otp: { allowed_countries: ['+49'] },
    })
    expect((await call('GET', path)).body).toEqual(made)
    const changed = await call('PATCH', path, { name: 'Store' })
    expect(changed.body).toMatchObject({ ...made, name: 'Store', updated_at: expect.any(String) })
    expect((await call('GET', '/applications')).body.items).toContainEqual(changed.body)
    expect((await call('DELETE', path)).status).toBe(204)
    for (const method of ['GET', 'DELETE'] as const) expectProblem(await call(method, path), 404, 'not_found')
    const ids = (await call('GET', '/applications?limit=100')).body.items.map((one: typeof made) => one.application_id)
    expect(ids).not.toContain(made.application_id)
  })

  test.each([
    ['name', { name: ' ' }],
    ['allowed_origins.0', { name: 'Shop', allowed_origins: ['https://a.example/path'] }],
    ['allowed_origins.0', { name: 'Shop', allowed_origins: ['javascript:alert(1)'] }],
    ['otp.allowed_countries.0', { name: 'Shop', otp: { allowed_countries: ['49'] } }],
    ['otp.colour', { name: 'Shop', otp: { colour: 'red' } }],
    ['colour', { name: 'Shop', colour: 'red' }],
  ])('with a bad %s are refused', async (path, body) => {
    const answer = await call('POST', '/applications', body)
    expectProblem(answer, 422, 'validation_failed')
    expect(answer.body.errors[0].path).toBe(path)
  })

  test('keep the settings of codes that a change does not name; null removes one', async () => {
    const otp = { allowed_countries: ['+49'], autofill_host: 'a.example' }
    const { application_id } = await newApplication({ otp })
    const change = (of: object) => call('PATCH', `/applications/${application_id}`, { otp: of })
    expect((await change({ sends_per_minute: 9 })).body.otp).toEqual({ ...otp, sends_per_minute: 9 })
    expect((await change({ autofill_host: null })).body.otp).toEqual({
      allowed_countries: ['+49'],
      sends_per_minute: 9,
    })
    expect((await change({ allowed_countries: null, sends_per_minute: null })).body.otp).toEqual({})
    expectProblem(await change({ colour: null }), 422, 'validation_failed')
  })

  test('of changes that are based on one state, one succeeds; a later one names the new state', async () => {
    const { application_id, updated_at } = await newApplication({})
    const change = (on: string, name: string) =>
      call('PATCH', `/applications/${application_id}?expected_updated_at=${on}`, { name })
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map((name) => change(updated_at, name)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
    expectProblem(answers.find(({ status }) => status === 409)!, 409, 'edit_conflict')
    const { body: present } = answers.find(({ status }) => status === 200)!
    expect((await call('GET', `/applications/${application_id}`)).body).toEqual(present)
    expect((await change(present.updated_at, 'e')).body.name).toBe('e')
    expectProblem(await change('yesterday', 'f'), 422, 'validation_failed')
  })

  test.each([
    ['POST', '/applications', { name: 'Shop' }],
    ['POST', '/providers', { channel: 'webhook', kind: 'webhook', name: 'Hooks' }],
    ['POST', '/suppressions', { channel: 'sms', recipient: '+14155550100' }],
    ['POST', '/activity/retries', { status: 'failed' }],
    ['GET', '/activity', undefined],
  ] as const)(
    'of a tenant that does not exist, nothing is made or read: %s %s says what to do',
    async (method, path, body) => {
      const permissions = [...OperatorPermission.options]
      const stranger = operatorToken(env, { tenant_id: newId('ten'), permissions })
      const answer = await call(method, path, body, stranger)
      expectProblem(answer, 403, 'permission_denied')
      expect(answer.body.detail).toContain('create it first')
      expect((await call('GET', '/me', undefined, stranger)).body.tenant_name).toBeNull()
    },
  )

  test('of the bootstrap document are told as well, and keep what was changed through the API', async () => {
    const path = `/applications/${env.applicationId}`
    const told = async () => {
      const { rows } = await env.sql('gateway').query(
        `select (event -> 'event' ->> 'revision')::int as revision from outbox, json_array_elements(events::json) as event
         where subject = 'gateway.application.changed' and events like $1 order by id`,
        [`%${env.applicationId}%`],
      )
      return rows.map(({ revision }) => revision)
    }
    expect(await told()).toEqual([1])
    expect((await call('PATCH', path, { name: 'Renamed Shop' })).status).toBe(200)
    await env.restart('gateway')
    expect((await call('GET', path)).body.name).toBe('Renamed Shop')
    expect(await told()).toEqual([1, 2])
  })

  test('are told to other services on each change, and as revoked when deleted', async () => {
    const { application_id } = await newApplication()
    await call('PATCH', `/applications/${application_id}`, {
      allowed_origins: ['https://b.example'],
      otp: { sends_per_minute: 9 },
    })
    await call('DELETE', `/applications/${application_id}`)
    const { rows } = await env.sql('gateway').query(
      `select event -> 'event' as event from outbox, json_array_elements(events::json) as event
       where subject = 'gateway.application.changed' and events like $1 order by id`,
      [`%${application_id}%`],
    )
    expect(rows.map(({ event }) => event)).toMatchObject([
      { revision: 1, status: 'active', allowed_origins: [], otp: {} },
      { revision: 2, status: 'active', allowed_origins: ['https://b.example'], otp: { sends_per_minute: 9 } },
      { revision: 3, status: 'revoked' },
    ])
  })
})

describe('API keys', () => {
  test('are shown once, send at once, and stop within a second of their revocation', async () => {
    const { application_id } = await newApplication()
    const { api_key, ...described } = await newKey(application_id)
    const path = `/applications/${application_id}/keys/${described.key_id}`
    expect(api_key).toMatch(/^sk_live_/)
    expect(described).toMatchObject({ status: 'active', mode: 'live', expires_at: null })
    expect((await call('GET', path)).body).toEqual(described)
    expect((await call('GET', `/applications/${application_id}/keys`)).body.items).toEqual([described])
    expect((await env.api('GET', '/api/v1/me', { key: api_key })).body).toMatchObject({ kind: 'key', application_id })
    expect((await call('DELETE', path)).status).toBe(204)
    await eventually(async () => expect((await env.api('GET', '/api/v1/me', { key: api_key })).status).toBe(401), {
      timeoutMs: 2000,
    })
    expect((await call('DELETE', path)).status).toBe(204)
    expect((await call('GET', path)).body).toMatchObject({ status: 'revoked', revoked_at: expect.any(String) })
  })

  test('get other permissions within a second, recorded in the audit log', async () => {
    const { application_id } = await newApplication()
    const { api_key, key_id, ...made } = await newKey(application_id, { permissions: [] })
    const path = `/applications/${application_id}/keys/${key_id}`
    const send = () => post(env, smsTo('12'), { key: api_key })
    expectProblem(await send(), 403, 'permission_denied')
    const permissions = ['notifications:send']
    const changed = await call('PATCH', path, { permissions, rate_limit_per_second: 7 })
    expect(changed.body).toEqual({ ...made, key_id, permissions, rate_limit_per_second: 7 })
    await eventually(async () => expectProblem(await send(), 422, 'invalid_recipient'), { timeoutMs: 2000 })
    expect((await call('PATCH', path, { permissions: [] })).body.permissions).toEqual([])
    await eventually(async () => expectProblem(await send(), 403, 'permission_denied'), { timeoutMs: 2000 })
    expect((await call('PATCH', path, { name: 'Renamed' })).body).toMatchObject({ name: 'Renamed', permissions: [] })
    const [renamed] = await untilAudited(key_id, [
      ...['api_key.changed', 'api_key.changed', 'api_key.changed', 'api_key.created'],
    ])
    expect(renamed).toMatchObject({ before: { name: 'Server' }, after: { name: 'Renamed' } })
  })

  test('that are test keys, or no longer active, keep their limits', async () => {
    const { application_id } = await newApplication()
    const { key_id } = await newKey(application_id, { mode: 'test' })
    const path = `/applications/${application_id}/keys/${key_id}`
    const refused = await call('PATCH', path, { permissions: ['notifications:send', 'domains:manage'] })
    expectProblem(refused, 422, 'validation_failed')
    expect(refused.body.errors).toMatchObject([{ path: 'permissions.1' }])
    await call('DELETE', path)
    expectProblem(await call('PATCH', path, { name: 'Renamed' }), 409, 'key_not_active')
  })

  test('rotate with an overlap in which both work', async () => {
    const { application_id } = await newApplication()
    const { api_key, key_id } = await newKey(application_id, { mode: 'test' })
    const rotate = `/applications/${application_id}/keys/${key_id}/rotate`
    const next = await call('POST', rotate, { overlap_seconds: 3600 })
    expect(next.status).toBe(201)
    expect(next.body).toMatchObject({ previous_key_id: key_id, mode: 'test', name: 'Server', status: 'active' })
    for (const key of [api_key, next.body.api_key])
      expect((await env.api('GET', '/api/v1/me', { key })).status).toBe(200)
    // At once: the overlap is cut short.
    expect((await call('POST', rotate, { overlap_seconds: 0 })).status).toBe(201)
    await eventually(async () => expect((await env.api('GET', '/api/v1/me', { key: api_key })).status).toBe(401), {
      timeoutMs: 2000,
    })
    expectProblem(await call('POST', rotate, {}), 409, 'key_not_active')
    expect((await env.api('GET', '/api/v1/me', { key: next.body.api_key })).status).toBe(200)
  })

  test('of a deleted application stop working', async () => {
    const { application_id } = await newApplication()
    const { api_key } = await newKey(application_id)
    await call('DELETE', `/applications/${application_id}`)
    await eventually(async () => expect((await env.api('GET', '/api/v1/me', { key: api_key })).status).toBe(401), {
      timeoutMs: 2000,
    })
    expectProblem(
      await call('POST', `/applications/${application_id}/keys`, { name: 'x', permissions: [] }),
      404,
      'not_found',
    )
  })

  test.each(['domains:manage', 'webhooks:manage'])('for tests cannot have %s', async (permission) => {
    const { application_id } = await newApplication()
    const body = { name: 'Test', mode: 'test', permissions: ['notifications:send', permission] }
    const answer = await call('POST', `/applications/${application_id}/keys`, body)
    expectProblem(answer, 422, 'validation_failed')
    expect(answer.body.errors).toEqual([{ path: 'permissions.1', message: `must not be ${permission} for a test key` }])
  })

  test('are the same under one Idempotency-Key, whose stored answer cannot be read in the database', async () => {
    const { application_id } = await newApplication()
    const path = `/api/v1/applications/${application_id}/keys`
    const request = { token, body: { name: 'Once', permissions: [] }, headers: { 'idempotency-key': 'one-key' } }
    const [first, again] = [await env.api('POST', path, request), await env.api('POST', path, request)]
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true'])
    const { rows } = await env.admin.query(`select to_jsonb(t)::text as text from gateway.idempotency_keys t`)
    expect(rows.map(({ text }) => text).join()).not.toContain(first.body.api_key)
  })
})

describe('the audit log', () => {
  const operator = { kind: 'operator', id: expect.any(String) }

  test('tells who changed what, before and after, in every service', async () => {
    const application = await newApplication()
    await call('PATCH', `/applications/${application.application_id}`, { name: 'Store' })
    expect(
      await untilAudited(application.application_id, ['application.changed', 'application.created']),
    ).toMatchObject([
      { actor: operator, before: { name: 'Shop' }, after: { name: 'Store' }, request_id: expect.any(String) },
      { actor: operator, before: null, after: { name: 'Shop' } },
    ])

    const templates = { sms: { body: 'Hello {{name}}' } }
    const { template_id } = (await call('POST', '/templates', { name: 'Hello', templates })).body
    await call('PUT', `/templates/${template_id}`, { name: 'Good day', templates })
    await call('DELETE', `/templates/${template_id}`)
    expect(
      await untilAudited(template_id, ['template.deleted', 'template.replaced', 'template.created']),
    ).toMatchObject([
      { after: null },
      { before: { name: 'Hello', version: 1 }, after: { name: 'Good day', version: 2 } },
      {},
    ])

    const phone = freshPhone()
    const { suppression_id } = (await call('POST', '/suppressions', { channel: 'sms', recipient: phone })).body
    await call('DELETE', `/suppressions/${suppression_id}`)
    const entries = await untilAudited(suppression_id, ['suppression.lifted', 'suppression.added'])
    expect(JSON.stringify(entries)).not.toContain(phone)

    const optIn = (await call('POST', '/whatsapp/opt-ins', { phone_e164: phone, source: 'web_form' })).body
    expect(JSON.stringify(await untilAudited(optIn.id, ['opt_in.recorded']))).not.toContain(phone)
    const optOut = (await call('POST', '/whatsapp/opt-outs', { phone_e164: phone })).body
    expect(JSON.stringify(await untilAudited(optOut.id, ['opt_in.revoked']))).not.toContain(phone)
  })

  test('tells that an address or a secret changed, and not which', async () => {
    const url = `${env.stack.receiverUrl}/ok/secret-path`
    const body = { application_id: env.applicationId, url, events: ['notification.failed'] }
    const { subscription_id, secret } = (await call('POST', '/webhook-subscriptions', body)).body
    const path = `/webhook-subscriptions/${subscription_id}`
    await call('PATCH', path, { url: `${env.stack.receiverUrl}/ok/other-path` })
    const rotated = (await call('POST', `${path}/rotate-secret`)).body
    await call('DELETE', path)
    const actions = ['deleted', 'secret_rotated', 'changed', 'created'].map((verb) => `webhook_subscription.${verb}`)
    const entries = await untilAudited(subscription_id, actions)
    expect(entries[2]).toMatchObject({ before: { url_path: '[redacted]' }, after: { url_path: '[redacted]' } })
    for (const hidden of [secret, rotated.secret, 'secret-path', 'other-path']) {
      expect(JSON.stringify(entries)).not.toContain(hidden)
    }
  })

  test('shows no key, and names keys that make changes', async () => {
    const { application_id } = await newApplication()
    const { api_key, key_id } = await newKey(application_id, { permissions: ['domains:manage'] })
    expect(JSON.stringify(await untilAudited(key_id, ['api_key.created']))).not.toContain(api_key)
    const domain = await env.api('POST', '/api/v1/domains', { key: api_key, body: { domain: 'audit.example' } })
    const [entry] = await untilAudited(domain.body.domain_id, ['domain.created'])
    expect(entry!.actor).toEqual({ kind: 'key', id: key_id })
  })

  test('has an entry once, however often it arrives', async () => {
    const { application_id } = await newApplication()
    const entry = {
      audit_id: newId('aud'),
      tenant_id: env.tenantId,
      application_id,
      occurred_at: new Date().toISOString(),
      actor: { kind: 'service', id: 'dispatch' },
      action: 'thing.made',
      resource: { type: 'thing', id: application_id.slice(4) },
      before: null,
      after: { name: 'Thing' },
      request_id: null,
    }
    const publish = (event: object) =>
      env
        .sql('dispatch')
        .query(`insert into outbox (subject, events) values ('dispatch.audit.recorded', $1)`, [
          JSON.stringify([{ event }, { event }]),
        ])
    const later = { ...entry, audit_id: newId('aud'), action: 'thing.changed' }
    for (const event of [entry, entry, later]) await publish(event)
    const [, first] = await untilAudited(entry.resource.id, ['thing.changed', 'thing.made'])
    expect(first).toEqual(entry)
  })

  test('cannot be changed, not even by the role of the gateway', async () => {
    await newApplication()
    for (const statement of [
      'update audit_log set actor_id = $$nobody$$',
      'delete from audit_log',
      'truncate audit_log',
    ]) {
      await expect(env.sql('gateway').query(statement)).rejects.toThrow('the audit log is append-only')
    }
  })

  test('is exported whole as JSON lines, beyond one batch, and with its filters', async () => {
    const { application_id } = await newApplication()
    await env.admin.query(
      `insert into gateway.audit_log (id, tenant_id, application_id, occurred_at, actor_kind, actor_id, action,
         resource_type, resource_id)
       select 'aud_' || lpad(n::text, 26, '0'), $1, $2, now(), 'system', 'system', 'thing.made', 'thing', n::text
       from generate_series(1, 1200) as n`,
      [env.tenantId, application_id],
    )
    const exported = async (query: string) => {
      const { status, headers, text } = await call('GET', `/audit-log/export?application_id=${application_id}${query}`)
      expect([status, headers.get('content-type')]).toEqual([200, 'application/x-ndjson'])
      return text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line))
    }
    const all = await exported('')
    expect(all).toHaveLength(1201)
    expect(new Set(all.map(({ audit_id }) => audit_id)).size).toBe(1201)
    const listed = (await call('GET', `/audit-log?application_id=${application_id}&limit=100`)).body.items
    expect(all.slice(0, 100)).toEqual(listed)
    expect(await exported('&action=application.created')).toHaveLength(1)
    expect(await exported('&from=2100-01-01T00:00:00Z')).toEqual([])
  })

  test('is filtered and paged', async () => {
    const { application_id } = await newApplication()
    for (const name of ['a', 'b', 'c']) await call('PATCH', `/applications/${application_id}`, { name })
    const list = (query: string) => call('GET', `/audit-log?application_id=${application_id}&${query}`)
    const first = await list('limit=3')
    const rest = await list(`limit=3&cursor=${first.body.next_cursor}`)
    expect(first.body.items).toHaveLength(3)
    expect(rest.body).toMatchObject({ items: [{ action: 'application.created' }], next_cursor: null })
    expect((await list('action=application.created')).body.items).toHaveLength(1)
    expect((await list('from=2100-01-01T00:00:00Z')).body.items).toEqual([])
    expect((await list('to=0001-01-01T00:00:00Z')).body.items).toEqual([])
    expect((await list('resource_type=template')).body.items).toEqual([])
  })
})

describe('another tenant', () => {
  test('sees nothing of it: applications, keys, audit log and usage', async () => {
    const { application_id } = await newApplication()
    const { key_id } = await newKey(application_id)
    const tenantId = newId('ten')
    await env.admin.query(`insert into gateway.tenants (id, name) values ($1, 'Other')`, [tenantId])
    const permissions = ['applications:manage', 'audit:read', 'usage:read']
    const other = operatorToken(env, { tenant_id: tenantId, permissions })
    const application = `/applications/${application_id}`
    const unknown = `/applications/app_01jd3x8qk5w9t2m4v6b8n0p2r4`
    const same = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown) => {
      const [theirs, nobodys] = await Promise.all(
        [`${application}${path}`, `${unknown}${path}`].map((one) => call(method, one, body, other)),
      )
      expectProblem(theirs!, 404, 'not_found')
      expect({ ...theirs!.body, request_id: '' }).toEqual({ ...nobodys!.body, request_id: '' })
    }
    await same('GET', '')
    await same('PATCH', '', { name: 'Mine' })
    await same('DELETE', '')
    await same('GET', '/keys')
    await same('POST', '/keys', { name: 'Mine', permissions: [] })
    await same('GET', `/keys/${key_id}`)
    await same('DELETE', `/keys/${key_id}`)
    await same('POST', `/keys/${key_id}/rotate`, {})
    expect((await call('GET', `/audit-log?application_id=${application_id}`, undefined, other)).body.items).toEqual([])
    expect((await call('GET', `/usage?application_id=${application_id}`, undefined, other)).body.items).toEqual([])
    expect((await call('GET', application)).status).toBe(200)
  })
})

test('a caller is told who it is', async () => {
  expect((await call('GET', '/me')).body).toMatchObject({
    kind: 'operator',
    tenant_id: env.tenantId,
    tenant_name: 'Demo',
    operator_id: expect.any(String),
    permissions: expect.arrayContaining(['applications:manage']),
  })
  const powerless = await env.api('GET', '/api/v1/me', { key: env.apiKeyNoPermissions })
  expect(powerless.body).toMatchObject({ kind: 'key', mode: 'live', permissions: [], tenant_id: env.tenantId })
  expectProblem(await env.api('GET', '/api/v1/me', { key: null }), 401, 'unauthenticated')
})

test('the operator of the audit log is the one that /me names', async () => {
  const { application_id } = await newApplication()
  const [entry] = await auditOf(application_id)
  expect(entry!.actor).toEqual({ kind: 'operator', id: (await call('GET', '/me')).body.operator_id })
})

test('a key that was made by the API sends', async () => {
  const { application_id } = await newApplication()
  const { api_key } = await newKey(application_id)
  expect((await post(env, smsTo(freshPhone()), { key: api_key })).status).toBe(202)
})
