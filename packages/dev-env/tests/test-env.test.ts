import { existsSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { identityOf } from '../src/infrastructure/process-identity.ts'
import { sharedPostgresVariable, startTestPostgres, type TestPostgres } from '../src/test-env/shared-postgres.ts'
import { TestEnv, type TestEnvOptions } from '../src/test-env/test-env.ts'

const fake = 'packages/dev-env/tests/fake-service.ts'
const options: TestEnvOptions = {
  entries: { gateway: fake, 'dispatch-api': fake, 'dispatch-worker': fake, consent: fake, 'carrier-sandbox': fake },
  env: { all: { COLOUR: 'green' }, consent: { COLOUR: 'red' } },
}
const given = process.env[sharedPostgresVariable]
let postgres: TestPostgres
let one: TestEnv
let two: TestEnv

beforeAll(async () => {
  postgres = await startTestPostgres()
  process.env[sharedPostgresVariable] = postgres.url
  ;[one, two] = await Promise.all([
    TestEnv.start(['dispatch', 'consent'], options),
    TestEnv.start(['consent'], options),
  ])
})

afterAll(async () => {
  await Promise.all([one.stop(), two.stop()])
  await postgres.stop()
  if (given) process.env[sharedPostgresVariable] = given
  else delete process.env[sharedPostgresVariable]
})

const environment = async (env: TestEnv, process: 'consent' | 'dispatch-worker'): Promise<Record<string, string>> =>
  (await env.call(process, 'GET', '/environment')).body

test('two systems at the same time share a Postgres server and nothing else', async () => {
  await one.sql('consent').query('create table mine (n int)')
  await expect(two.sql('consent').query('select * from mine')).rejects.toThrow('does not exist')
  expect(one.stack.natsUrl).not.toBe(two.stack.natsUrl)
  expect(one.stack.redisUrl).not.toBe(two.stack.redisUrl)
  expect(one.apiKey).not.toBe(two.apiKey)
})

test('only the services asked for run, with the stand-ins that they need', () => {
  expect(Object.keys(one.urls)).toEqual(['dispatch-api', 'dispatch-worker', 'consent', 'carrier-sandbox'])
  expect(Object.keys(two.urls)).toEqual(['consent'])
})

test('a process gets the variables it needs, and no others', async () => {
  const consent = await environment(one, 'consent')
  expect(consent.DATABASE_URL).toContain('postgres://consent:')
  expect(consent.COLOUR).toBe('red')
  const worker = await environment(one, 'dispatch-worker')
  expect(worker).toMatchObject({ ROLE: 'worker', COLOUR: 'green', CARRIER_SANDBOX_URL: one.urls['carrier-sandbox'] })
  expect(consent).not.toHaveProperty('PUBLIC_URL')
  for (const secret of ['PRINCIPAL_SIGNING_KEY', 'NODE_OPTIONS', sharedPostgresVariable]) {
    expect([secret, consent[secret], worker[secret]]).toEqual([secret, undefined, undefined])
  }
})

test('a service that was killed comes back on the same address', async () => {
  const before = one.stack.pids.consent
  await one.kill('consent')
  await expect(one.call('consent', 'GET', '/readyz')).rejects.toThrow()
  await one.restart('consent')
  expect((await one.call('consent', 'GET', '/readyz')).status).toBe(200)
  expect(one.stack.pids.consent).not.toBe(before)
})

test('NATS and Redis can be killed, frozen and brought back', async () => {
  for (const server of ['nats', 'redis'] as const) {
    await one.kill(server)
    await one.restart(server)
    await one.kill(server, 'SIGSTOP')
    await one.kill(server, 'SIGCONT')
    expect(one.stack.pids[server]).toBeGreaterThan(0)
  }
})

test('a service that does not end by itself is killed after the time given', async () => {
  const env = await TestEnv.start(['consent'], { ...options, env: { consent: { IGNORE_SIGTERM: '1' } } })
  expect(await env.stack.stopProcess('consent', 100)).toBe(true)
  await env.stop()
})

test('a stop leaves no process, no database and no folder behind', async () => {
  const env = await TestEnv.start(['consent'], options)
  const { pids, dataDir } = env.stack
  const name = new URL(env.stack.adminDatabaseUrl).pathname.slice(1)
  await env.sql('consent').query('select 1')
  await env.stop()
  expect(Object.values(pids).map((pid) => identityOf(pid))).toEqual([undefined, undefined, undefined])
  expect(existsSync(dataDir)).toBe(false)
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  expect((await client.query('select 1 from pg_database where datname = $1', [name])).rowCount).toBe(0)
  await client.end()
})

test('a service that does not come up fails the start with its reason, and leaves nothing running', async () => {
  const failing = TestEnv.start(['consent'], { ...options, env: { consent: { FAIL_AT_START: 'no such table' } } })
  await expect(failing).rejects.toThrow(
    /^consent ended with exit code 1 before it was ready: cannot start: no such table/,
  )
})
