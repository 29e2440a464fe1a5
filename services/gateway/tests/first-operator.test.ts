import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { KeyPermission, OperatorPermission } from '@notify/contracts'
import { environmentOf, eventually, fileOf, machineEnvironment, programPath, TestEnv } from '@notify/dev-env'
import { operatorToken } from '@notify/test-kit/callers'

let env: TestEnv
/** An installation whose services have not run yet. */
let servers: TestEnv
beforeAll(async () => {
  servers = await TestEnv.start([])
  env = await TestEnv.start(['gateway'], { env: { gateway: { BOOTSTRAP_FILE: '' } } })
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
      env: { ...machineEnvironment(), ...(await environmentOf('gateway', at.stack.wiring)), BOOTSTRAP_FILE: '' },
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

test.each([
  [[]],
  [['--name', ' ']],
  [['--nmae', 'Acme']],
  [['--name', 'A'.repeat(101)]],
  [['--name', 'two\nlines']],
  [['--name', 'Acme', '--application', '']],
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
