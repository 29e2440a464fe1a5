import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { provisionDatabase, provisionService, provisionServices } from '@notify/database/provision'
import pg from 'pg'
import { machineEnvironment } from '../src/stack/machine-environment.ts'
import { startTestPostgres, type TestPostgres } from '../src/test-env/shared-postgres.ts'

const roles = [
  { service: 'gateway', password: `it's "quoted"` },
  { service: 'webhook-delivery', password: 'second' },
] as const
const main = join(import.meta.dirname, '../../database/src/provision-main.ts')

let postgres: TestPostgres
let database: string

beforeAll(async () => {
  postgres = await startTestPostgres()
  await provisionDatabase(postgres.url, 'notify "quoted"')
  const url = new URL(postgres.url)
  url.pathname = `/${encodeURIComponent('notify "quoted"')}`
  database = url.href
  await Promise.all([
    provisionServices(database, roles),
    provisionServices(database, roles),
    provisionServices(database, roles),
  ])
})

afterAll(() => postgres.stop())

async function as(role: string, password: string, sql: string): Promise<Record<string, unknown>[]> {
  const url = new URL(database)
  url.username = role
  url.password = encodeURIComponent(password)
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

const gateway = (sql: string) => as('gateway', roles[0].password, sql)
const webhooks = (sql: string) => as('webhook_delivery', roles[1].password, sql)

test('a service finds and makes its tables in its own schema without naming it', async () => {
  await gateway('create table own as select 1 as n')
  expect(await gateway('select current_schema(), n from own')).toEqual([{ current_schema: 'gateway', n: 1 }])
})

test.each([
  ['read', 'select * from gateway.secret'],
  ['write', 'insert into gateway.secret values (2)'],
  ['create in', 'create table gateway.intruder (n int)'],
])("a service can not %s another's schema", async (_, sql) => {
  await gateway('create table if not exists gateway.secret (n int)')
  await expect(webhooks(sql)).rejects.toThrow('permission denied for schema gateway')
})

test.each([
  ['public', 'create table public.shared (n int)', 'permission denied for schema public'],
  ['schemas', 'create schema another', 'permission denied for database'],
  ['temporary tables', 'create temporary table t (n int)', 'permission denied to create temporary tables'],
  ['roles', 'create role another', 'permission denied to create role'],
])('a service can create nothing outside of its schema: %s', async (_, sql, message) => {
  await expect(webhooks(sql)).rejects.toThrow(message)
})

test('a role that is not a service of this database cannot connect to it', async () => {
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  await client.query(`create role stranger login password 'stranger'`)
  await client.end()
  await expect(as('stranger', 'stranger', 'select 1')).rejects.toThrow('permission denied for database')
})

test('the reader sees the tables of every service, also those made later, and changes nothing', async () => {
  await gateway('create table if not exists seen (n int)')
  await provisionServices(database, roles, { readerPassword: 'reader' })
  await webhooks('create table seen_later as select 8 as n')
  const reader = (sql: string) => as('notify_reader', 'reader', sql)
  expect(await reader('select count(*)::int from gateway.seen')).toEqual([{ count: 0 }])
  expect(await reader('select n from webhook_delivery.seen_later')).toEqual([{ n: 8 }])
  await expect(reader('insert into gateway.seen values (1)')).rejects.toThrow('read-only transaction')
  const forced = 'set transaction_read_only = off; insert into gateway.seen values (1)'
  await expect(reader(forced)).rejects.toThrow('permission denied for table seen')
  await expect(reader('create table gateway.own (n int)')).rejects.toThrow()
})

test('without a password the reader cannot log in, and one that can keeps its password', async () => {
  await provisionServices(database, roles)
  expect(await as('notify_reader', 'reader', 'select 1 as one')).toEqual([{ one: 1 }])
})

test('provisioning again keeps the data and sets a changed password', async () => {
  await webhooks('create table kept as select 7 as n')
  await provisionService(database, { service: 'webhook-delivery', password: 'changed' })
  expect(await as('webhook_delivery', 'changed', 'select n from kept')).toEqual([{ n: 7 }])
  await expect(webhooks('select 1')).rejects.toThrow('password authentication failed')
})

test('no statement contains a password, so that neither the log of the server nor its statistics do', async () => {
  const password = 'p\u00e4ss \u00b5\u00a0\u2460w\u00ado\u200bd'
  const query = jest.spyOn(pg.Client.prototype, 'query')
  await provisionServices(database, [{ service: 'callbacks', password }], { readerPassword: 'reader-password' })
  const statements = JSON.stringify(query.mock.calls)
  query.mockRestore()
  expect(statements).toContain('role \\"callbacks\\" login password')
  expect(statements).toContain('role notify_reader login password')
  expect(statements).not.toContain(password)
  expect(statements).not.toContain('reader-password')
  expect(await as('callbacks', password, 'select 1 as one')).toEqual([{ one: 1 }])
  expect(await as('notify_reader', 'reader-password', 'select 1 as one')).toEqual([{ one: 1 }])
})

test('sessions of a role have its settings without asking for them; provisioning again sets what was changed', async () => {
  const settings = `select current_setting('search_path') as path, current_setting('statement_timeout') as longest,
    current_setting('enable_seqscan') as seqscan`
  const wanted = { path: 'gateway', longest: '3s', seqscan: 'off' }
  expect(await gateway(settings)).toEqual([wanted])
  await gateway(`alter role gateway in database "notify ""quoted""" set statement_timeout = '1h'`)
  expect(await gateway(settings)).toEqual([{ ...wanted, longest: '1h' }])
  await provisionServices(database, roles)
  expect(await gateway(settings)).toEqual([wanted])
})

test('services whose tables outgrow their plans are kept from bitmap scans, hash and merge joins, and no others are, whatever their roles had before', async () => {
  const plans = `select current_setting('enable_bitmapscan') as bitmap, current_setting('enable_hashjoin') as hash,
    current_setting('enable_mergejoin') as merge`
  const change = `alter role gateway in database "notify ""quoted""" set`
  await gateway(`${change} enable_bitmapscan = off`)
  await gateway(`${change} enable_hashjoin = off`)
  await gateway(`${change} enable_mergejoin = off`)
  expect(await gateway(plans)).toEqual([{ bitmap: 'off', hash: 'off', merge: 'off' }])
  await provisionServices(database, [...roles, { service: 'dispatch', password: 'third' }])
  expect(await gateway(plans)).toEqual([{ bitmap: 'on', hash: 'on', merge: 'on' }])
  expect(await as('dispatch', 'third', plans)).toEqual([{ bitmap: 'off', hash: 'off', merge: 'off' }])
})

test('a database without the schema public is provisioned as well', async () => {
  const url = new URL(postgres.url)
  await provisionDatabase(postgres.url, 'bare')
  url.pathname = '/bare'
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  await client.query('drop schema public')
  await client.end()
  await provisionServices(url.href, roles)
  url.username = 'gateway'
  url.password = encodeURIComponent(roles[0].password)
  const service = new pg.Client({ connectionString: url.href })
  await service.connect()
  expect((await service.query('select current_schema() as name')).rows).toEqual([{ name: 'gateway' }])
  await service.end()
})

test('two databases of one server are provisioned at the same moment', async () => {
  const urls = await Promise.all(
    ['one', 'two', 'three'].map(async (name) => {
      await provisionDatabase(postgres.url, name)
      return postgres.url.replace(/\/postgres$/, `/${name}`)
    }),
  )
  await Promise.all([...urls, ...urls].map((url) => provisionService(url, { service: 'otp', password: 'x' })))
})

test('an admin without superuser rights can provision, and does not hand out its own', async () => {
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  await client.query(`create role managed login createdb createrole password 'managed'`)
  await client.end()
  const url = new URL(postgres.url)
  url.username = 'managed'
  url.password = 'managed'
  await provisionDatabase(url.href, 'managed')
  url.pathname = '/managed'
  await provisionService(url.href, { service: 'consent', password: 'consent' })
  await provisionService(url.href, { service: 'consent', password: 'consent' })
  url.username = 'consent'
  url.password = 'consent'
  const consent = new pg.Client({ connectionString: url.href })
  await consent.connect()
  await consent.query('create table own (n int)')
  await expect(consent.query('create role another')).rejects.toThrow('permission denied')
  await consent.end()
})

test.each([
  [{}, 'ADMIN_DATABASE_URL is missing'],
  [{ ADMIN_DATABASE_URL: 'localhost:5432' }, 'ADMIN_DATABASE_URL is not a URL'],
  [{ ADMIN_DATABASE_URL: 'postgres://a:b@127.0.0.1:1/postgres' }, 'set at least one of GATEWAY_DATABASE_PASSWORD'],
  [
    { ADMIN_DATABASE_URL: 'postgres://a:b@127.0.0.1:1/postgres', OTP_DATABASE_PASSWORD: 'x' },
    'Postgres at 127.0.0.1:1 cannot be reached (ECONNREFUSED)',
  ],
])('the command says in one line what is wrong: %j', (env, message) => {
  const { status, stderr } = spawnSync(process.execPath, [main], {
    env: { ...machineEnvironment(), ...env },
    encoding: 'utf8',
  })
  expect(stderr.trim().split('\n')).toHaveLength(1)
  expect(stderr).toContain(message)
  expect(status).toBe(1)
})

test('the command provisions the services whose passwords it is given', async () => {
  const env = {
    ...machineEnvironment(),
    ADMIN_DATABASE_URL: postgres.url,
    DATABASE_NAME: 'by_command',
    INBOX_STREAM_DATABASE_PASSWORD: 'x',
  }
  const { status, stdout } = spawnSync(process.execPath, [main], { env, encoding: 'utf8' })
  expect(stdout).toBe('provisioned database by_command: inbox-stream\n')
  expect(status).toBe(0)
})
