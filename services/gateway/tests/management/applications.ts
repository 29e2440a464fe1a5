import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { newId, OperatorPermission } from '@notify/contracts'
import { expectProblem } from '@notify/test-kit/api'
import { operatorToken } from '@notify/test-kit/callers'
import { call, env, newApplication } from './stack.ts'

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
    ...[
      ...['https://*.example.com', 'https://*', '*', 'null', 'https://a.example/', 'https://A.example'],
      ...[
        'https://a.example:443',
        'https://user:pass@a.example',
        'https://a.example?b',
        'a.example',
        'ftp://a.example',
      ],
    ].map((origin) => ['allowed_origins.0', { name: 'Shop', allowed_origins: [origin] }] as const),
    ['otp.allowed_countries.0', { name: 'Shop', otp: { allowed_countries: ['49'] } }],
    ['otp.colour', { name: 'Shop', otp: { colour: 'red' } }],
    ['colour', { name: 'Shop', colour: 'red' }],
  ])('with a bad %s are refused', async (path, body) => {
    const answer = await call('POST', '/applications', body)
    expectProblem(answer, 422, 'validation_failed')
    expect(answer.body.errors[0].path).toBe(path)
  })

  test('say that an origin is listed in full when one has a wildcard', async () => {
    const answer = await call('POST', '/applications', { name: 'Shop', allowed_origins: ['https://*.example.com'] })
    expect(answer.body.errors).toEqual([
      {
        path: 'allowed_origins.0',
        message: 'must not contain a wildcard; list each origin, such as https://shop.example.com',
      },
    ])
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

  test('of the bootstrap document are published as well, and keep changes made through the API, as its keys do', async () => {
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
    const keys = async () => (await call('GET', `${path}/keys`)).body
    const { key_id } = (await keys()).items.find(({ name }: { name: string }) => name === 'No permissions')
    expect((await call('PATCH', `${path}/keys/${key_id}`, { name: 'Renamed key' })).status).toBe(200)
    const before = await keys()
    const audit = async () => (await call('GET', '/audit-log?actor_id=bootstrap&limit=100')).body.items
    const recorded = await audit()
    expect(recorded.map(({ action }: { action: string }) => action)).toEqual(
      expect.arrayContaining(['application.created', 'api_key.created', 'event.created', 'provider.created']),
    )
    const file = env.stack.wiring.bootstrapFile
    const original = readFileSync(file, 'utf8')
    const document = JSON.parse(original)
    const tenant = document.tenants.find(({ tenant_id }: { tenant_id: string }) => tenant_id === env.tenantId)
    const { rate_limit_per_second } = tenant
    tenant.rate_limit_per_second = 123_456
    const key = document.api_keys.find((one: { key_id: string }) => one.key_id === key_id)
    key.sha256 = 'f'.repeat(64)
    writeFileSync(file, JSON.stringify(document))
    await env.restart('gateway')
    const [replaced, change, ...others] = await audit()
    // A secret that has leaked is replaced.
    expect(replaced).toMatchObject({ action: 'api_key.changed', resource: { id: key_id } })
    expect(change).toMatchObject({ action: 'tenant.changed', before: { rate_limit_per_second } })
    expect(change.after).toEqual({ rate_limit_per_second: 123_456 })
    expect(others).toEqual(recorded)
    expect((await call('GET', path)).body.name).toBe('Renamed Shop')
    expect(await told()).toEqual([1, 2])
    const changed = expect.objectContaining({ key_id, name: 'Renamed key' })
    expect((await keys()).items).toEqual(
      before.items.map((one: { key_id: string }) => (one.key_id === key_id ? changed : one)),
    )
    writeFileSync(file, original)
    await env.restart('gateway')
  })

  test('are published to other services on each change, and as revoked when deleted', async () => {
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
