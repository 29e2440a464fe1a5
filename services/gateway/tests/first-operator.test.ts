import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { KeyPermission, newId, OperatorPermission } from '@notify/contracts'
import { environmentOf, eventually, fileOf, machineEnvironment, programPath, TestEnv } from '@notify/dev-env'
import { mintApiKey } from '@notify/privacy'
import { expectProblem } from '@notify/test-kit/api'
import { operatorToken } from '@notify/test-kit/callers'

/** The second installation of several. */
const cell = { CELL: 'eu1', CELLS: 'us1=https://us1.example/,eu1=https://eu1.example' }
let env: TestEnv
/** An installation whose services have not run yet. */
let servers: TestEnv
beforeAll(async () => {
  servers = await TestEnv.start([])
  env = await TestEnv.start(['gateway'], { env: { gateway: { BOOTSTRAP_FILE: '', ...cell } } })
})
afterAll(async () => {
  await env?.stop()
  await servers?.stop()
})

async function createTenant(at: TestEnv, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [programPath(fileOf('gateway')), 'create-tenant', ...args],
    {
      env: {
        ...machineEnvironment(),
        ...(await environmentOf('gateway', at.stack.wiring)),
        BOOTSTRAP_FILE: '',
        ...(at === env && cell),
      },
      encoding: 'utf8',
    },
  )
  const line = stdout.split('\n').find((text) => text.startsWith('{"tenant_id"'))
  return { status, stderr, created: line === undefined ? undefined : JSON.parse(line) }
}

test('one command makes a tenant, an application and a key in an empty database', async () => {
  const { status, created } = await createTenant(servers, '--name', 'Acme')
  expect(status).toBe(0)
  expect(created).toEqual({
    tenant_id: expect.stringMatching(/^ten_/),
    application_id: expect.stringMatching(/^app_/),
    key_id: expect.stringMatching(/^key_/),
    api_key: expect.stringMatching(/^sk_live_/),
  })
  const { rows } = await servers.admin.query('select id, name from gateway.tenants')
  expect(rows).toEqual([{ id: created.tenant_id, name: 'Acme' }])
})

test('with the tenant in its claim, the first operator sets up the rest; the key works at once', async () => {
  const { created } = await createTenant(env, '--name', 'Acme', '--application', 'Shop')
  const token = operatorToken(env, { tenant_id: created.tenant_id, permissions: [...OperatorPermission.options] })
  const api = (method: string, path: string, body?: object) =>
    env.api(method, `/api/v1${path}`, { token, ...(body ? { body } : {}) })
  expect((await api('GET', '/me')).body).toMatchObject({ tenant_name: 'Acme', tenant_id: created.tenant_id })
  const { items } = (await api('GET', '/applications')).body
  expect(items).toMatchObject([{ application_id: created.application_id, name: 'Shop' }])
  expect((await api('POST', '/applications', { name: 'Back office' })).status).toBe(201)
  const me = await env.api('GET', '/api/v1/me', { key: created.api_key })
  expect(me.body).toMatchObject({ kind: 'key', permissions: [...KeyPermission.options] })
  const audit = (await api('GET', '/audit-log?limit=100')).body.items
  expect(audit.map(({ action, actor }: { action: string; actor: object }) => [action, actor])).toEqual([
    ['application.created', { kind: 'operator', id: expect.any(String) }],
    ['api_key.created', { kind: 'system', id: 'system' }],
    ['application.created', { kind: 'system', id: 'system' }],
  ])
  await eventually(async () => {
    const { rows } = await env
      .sql('gateway')
      .query('select count(*)::int as left from outbox where published_at is null')
    expect(rows).toEqual([{ left: 0 }])
  })
})

test('in a cell, keys name it, and a key of another cell is answered with its address', async () => {
  const { created } = await createTenant(env, '--name', 'Acme', '--cell', 'eu1')
  expect(created).toMatchObject({ cell: 'eu1', api_key: expect.stringMatching(/^sk_live_eu1_/) })
  const token = operatorToken(env, { tenant_id: created.tenant_id, permissions: [...OperatorPermission.options] })
  const keys = `/api/v1/applications/${created.application_id}/keys`
  const key = { name: 'Second', mode: 'test', permissions: [] }
  const second = await env.api('POST', keys, { token, body: key })
  expect([second.status, second.body.api_key]).toEqual([201, expect.stringMatching(/^sk_test_eu1_/)])
  const me = (request: Parameters<TestEnv['api']>[2]) => env.api('GET', '/api/v1/me?x', request)
  const elsewhere = await me({ key: mintApiKey('live', created.key_id, 'us1').apiKey })
  expectProblem(elsewhere, 401, 'unauthenticated')
  const foreign = await me({ key: mintApiKey('live', newId('key'), 'us1').apiKey })
  expectProblem(foreign, 421, 'wrong_cell')
  expect(foreign.headers.get('location')).toBe('https://us1.example/api/v1/me?x')
  const unknown = await me({ key: mintApiKey('live', newId('key'), 'xx1').apiKey })
  expectProblem(unknown, 421, 'wrong_cell')
  expect(unknown.headers.get('location')).toBeNull()
  expectProblem(await me({ key: mintApiKey('live', newId('key'), 'eu1').apiKey }), 401, 'unauthenticated')
  expectProblem(await me({ key: mintApiKey('live', newId('key')).apiKey }), 401, 'unauthenticated')
})

test('a tenant that moved away is answered with its new address; its operators may still read, and change nothing', async () => {
  const { created } = await createTenant(env, '--name', 'Acme')
  const token = operatorToken(env, { tenant_id: created.tenant_id, permissions: [...OperatorPermission.options] })
  const set = (values: string) =>
    env.admin.query(`update gateway.tenants set ${values} where id = '${created.tenant_id}'`)
  await set('arriving = true')
  const waiting = env.api('GET', '/api/v1/me', { key: created.api_key })
  const early = await env.api('POST', '/api/v1/applications', { token, body: { name: 'Early' } })
  expectProblem(early, 503, 'service_unavailable')
  await set('arriving = false')
  expect((await waiting).status).toBe(200)
  await set("moved_to = 'us1', moved_at = now()")
  await eventually(async () => {
    const moved = await env.api('POST', '/api/v1/notifications', { key: created.api_key, body: {} })
    expectProblem(moved, 421, 'wrong_cell')
    expect(moved.headers.get('location')).toBe('https://us1.example/api/v1/notifications')
  })
  await eventually(async () => {
    const late = await env.api('POST', '/api/v1/applications', { token, body: { name: 'Late' } })
    expectProblem(late, 421, 'wrong_cell')
  })
  expect((await env.api('GET', '/api/v1/applications', { token })).body.items).toHaveLength(1)
  const lookup = { token, body: { recipient: '+15550100' } }
  const { body: found } = await env.api('POST', '/api/v1/recipients/lookup', lookup)
  const ofRecipient = await env.api('GET', `/api/v1/activity?recipient_token=${found.recipient_token}`, { token })
  expect([ofRecipient.status, ofRecipient.body.items]).toEqual([200, []])
})

test.each([
  [[]],
  [['--name', ' ']],
  [['--nmae', 'Acme']],
  [['--name', 'A'.repeat(101)]],
  [['--name', 'two\nlines']],
  [['--name', 'Acme', '--application', '']],
  [['--name', 'Acme', '--cell', 'eu1']],
])('%j makes nothing and says how it is used', async (args) => {
  const { status, stderr, created } = await createTenant(servers, ...args)
  expect([status, created]).toEqual([1, undefined])
  expect(stderr).toContain('usage: create-tenant --name <name>')
})

test('a gateway that starts before dispatch logs nothing that alarms', async () => {
  const log = () => env.logs('gateway', 100_000)
  await eventually(() => expect(log()).toContain('dispatch does not respond yet'))
  const lines = log()
    .split('\n')
    .map((line) => JSON.parse(line) as { time: string; msg: string })
  const msSinceStart = ({ time }: { time: string }) => Date.parse(time) - Date.parse(lines[0]!.time)
  // Later it is no start any more: the file may have taken longer than that.
  const early = lines.filter((line) => msSinceStart(line) < 30_000)
  expect(early.filter(({ msg }) => msg.includes('periodic task failed'))).toEqual([])
})
