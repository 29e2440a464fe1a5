import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { eventually, startFaultProxy, TestEnv } from '@notify/dev-env'
import { createTestKit } from '@notify/test-kit/kit'
import { column } from '../src/columns.ts'
import type { Migrations } from '../src/migrations/migration.ts'
import { openDatabase, type Run } from '../src/open.ts'
import { defineStatement } from '../src/statement.ts'
import { build, type Process, startProcess } from './schema.ts'

let env: TestEnv
let one: Process

beforeAll(async () => {
  env = await TestEnv.start([])
  await env.sql('consent').query('create table things (id int primary key, name text not null)')
})
afterAll(() => env.stop())
beforeEach(async () => {
  await env.sql('consent').query('truncate things')
  one = await startProcess(env)
})
afterEach(() => one.kit.stop())

const insert = (run: Run, id: number) => run('insert into things (id, name) values ($1, $2)', [id, 'x'])
const ids = async (): Promise<number[]> =>
  (await env.sql('consent').query('select id from things order by id')).rows.map(({ id }) => id)
/** Ends the sessions of a service as an operator of Postgres would. */
const killBackends = (user = 'consent') =>
  env.admin.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where usename = $1 and application_name = $1 and datname = current_database()',
    [user],
  )
const unavailable = { code: 'service_unavailable', headers: { 'Retry-After': '1' } }

test('values have types without loss: big numbers exact, dates without a time zone', async () => {
  const [row] = await one.db.run(
    `select 9007199254740993::bigint as big, date '2026-03-29' as day, '{"a":1}'::jsonb as json, '\\x00ff'::bytea as bytes,
       null as nothing, timestamptz '2026-11-21T09:30:00.123Z' as time`,
  )
  expect(row).toEqual({
    big: 9007199254740993n,
    day: '2026-03-29',
    json: { a: 1 },
    bytes: Buffer.from([0, 255]),
    nothing: null,
    time: new Date('2026-11-21T09:30:00.123Z'),
  })
})

test('a named statement is prepared once and gives the same answers', async () => {
  const statement = defineStatement({
    name: 'sum',
    text: 'select $1::int + $2::int as sum',
    columns: { sum: column.integer() },
  })
  for (let i = 0; i < 3; i++) expect(await one.db.run(statement, [i, 1])).toEqual([{ sum: i + 1 }])
})

test('a service works in its own schema, as its own role, with a statement timeout', async () => {
  const [row] = await one.db.run(
    `select current_schema() as schema, current_user as role, current_setting('statement_timeout') as longest,
       current_setting('lock_timeout') as lock`,
  )
  expect(row).toEqual({ schema: 'consent', role: 'consent', longest: '3s', lock: '2s' })
})

test('a stop closes every connection, also when the query builder was never used', async () => {
  const open = async () =>
    (
      await env.admin.query(
        `select 1 from pg_stat_activity where application_name = 'consent' and datname = current_database()`,
      )
    ).rowCount
  // Postgres takes a moment to end the sessions of the previous test.
  const untilOpen = (count: number) => eventually(async () => expect(await open()).toBe(count))
  await untilOpen(1)
  const other = await startProcess(env)
  expect(await open()).toBe(2)
  await other.kit.stop()
  await untilOpen(1)
})

test('a transaction commits all of its statements', async () => {
  const answer = await one.db.transaction(async (run) => {
    await insert(run, 1)
    await insert(run, 2)
    return 'done'
  })
  expect([answer, await ids()]).toEqual(['done', [1, 2]])
})

test('a transaction that throws is rolled back, and rethrows the error', async () => {
  const error = new Error('changed my mind')
  const work = one.db.transaction(async (run) => {
    await insert(run, 1)
    throw error
  })
  await expect(work).rejects.toBe(error)
  expect(await ids()).toEqual([])
})

test('a statement that fails rolls back its transaction and keeps its code', async () => {
  const work = one.db.transaction(async (run) => {
    await insert(run, 1)
    await insert(run, 1)
  })
  await expect(work).rejects.toMatchObject({ code: '23505' })
  expect(await ids()).toEqual([])
})

test('a transaction that ignores the failure of a statement fails, because nothing was committed', async () => {
  const work = one.db.transaction(async (run) => {
    await insert(run, 1)
    await insert(run, 1).catch(() => {})
  })
  await expect(work).rejects.toThrow('rolled back, because a statement of the transaction had failed')
  expect(await ids()).toEqual([])
  await one.db.transaction((run) => insert(run, 2))
  expect(await ids()).toEqual([2])
})

test('failed transactions release their connections', async () => {
  for (let i = 0; i < 20; i++) await one.db.transaction(() => Promise.reject(new Error('no'))).catch(() => {})
  await Promise.all(Array.from({ length: 8 }, (_, i) => one.db.transaction((run) => insert(run, i))))
  expect(await ids()).toHaveLength(8)
})

test('the changes of a transaction are invisible before its commit', async () => {
  await one.db.transaction(async (run) => {
    await insert(run, 1)
    expect(await ids()).toEqual([])
  })
  expect(await ids()).toEqual([1])
})

test.each<[string, () => Promise<unknown>]>([
  ['a statement', () => one.db.run('select 1')],
  ['a transaction', () => one.db.transaction((run) => run('select 1'))],
  ['a query of the builder', () => one.db.run(build.selectFrom('things').selectAll())],
])('in a transaction %s that asks for a second connection fails at once', async (_what, nested) => {
  const work = one.db.transaction(async (run) => {
    await insert(run, 1)
    await nested()
  })
  await expect(work).rejects.toThrow('a second connection')
  expect(await ids()).toEqual([])
  await nested()
})

test('work that a transaction has started may use a connection after the transaction ended', async () => {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const later = await one.db.transaction(async () => ({ done: ended.then(() => one.db.run('select 1 as one')) }))
  end()
  expect(await later.done).toEqual([{ one: 1 }])
})

test('a process whose connections are all in use is ready, and counts those in use and awaited', async () => {
  const { kit, db } = await startProcess(env, { poolSize: 1 })
  kit.health.setReady(true)
  const begun = Promise.withResolvers<void>()
  const may = Promise.withResolvers<void>()
  const holding = db.transaction(async () => {
    begun.resolve()
    await may.promise
  })
  await begun.promise
  const waiting = [db.run('select 1'), db.run('select 2')]
  // The first look opens a connection of its own.
  await eventually(async () =>
    expect(await Promise.all([kit.health.failures(), kit.health.failures()])).toEqual([[], []]),
  )
  expect([kit.gauged('database_connections_in_use'), kit.gauged('database_connections_awaited')]).toEqual([1, 2])
  may.resolve()
  await Promise.all([holding, ...waiting])
  expect([kit.gauged('database_connections_in_use'), kit.gauged('database_connections_awaited')]).toEqual([0, 0])
  await kit.stop()
})

test('the pool survives a killed backend: the next statement goes through', async () => {
  await one.db.run('select 1')
  await killBackends()
  await eventually(async () => expect(await one.db.run('select 1 as one')).toEqual([{ one: 1 }]))
})

test.each([
  ['its time ends', `set local statement_timeout = '10ms'`, 'The database did not finish in time; try again shortly'],
  [
    'its connection ends',
    'select pg_terminate_backend(pg_backend_pid())',
    'The service cannot reach its database; try again shortly',
  ],
])(
  'a statement that fails because %s is service_unavailable, and the problem names the cause',
  async (_, fault, detail) => {
    const work = one.db.transaction(async (run) => {
      await run(fault)
      await run('select pg_sleep(5)')
    })
    await expect(work).rejects.toMatchObject({ ...unavailable, message: detail, cause: expect.any(Error) })
  },
)

test('a statement whose backend is killed is service_unavailable', async () => {
  let answer: unknown
  void one.db.run('select pg_sleep(20)').catch((error: unknown) => {
    answer = error
  })
  // The killed session may still belong to the previous test.
  await eventually(async () => {
    await killBackends()
    expect(answer).toMatchObject(unavailable)
  })
})

test('a transaction whose backend is killed between two statements is service_unavailable, and the next one commits', async () => {
  const work = one.db.transaction(async (run) => {
    await insert(run, 1)
    await killBackends()
    await eventually(() => expect(insert(run, 2)).rejects.toMatchObject(unavailable))
    await insert(run, 3)
  })
  await expect(work).rejects.toMatchObject(unavailable)
  await one.db.transaction((run) => insert(run, 4))
  expect(await ids()).toEqual([4])
})

test('a backend that is killed while a transaction waits for something else does not end the process', async () => {
  const work = one.db.transaction(async (run) => {
    await insert(run, 1)
    await killBackends()
    const gone = `select 1 from pg_stat_activity where application_name = 'consent' and datname = current_database()`
    await eventually(async () => expect((await env.admin.query(gone)).rowCount).toBe(0))
    // The last error of Postgres has arrived.
    for (let i = 0; i < 50; i++) await new Promise(setImmediate)
  })
  await expect(work).rejects.toMatchObject(unavailable)
  expect(await ids()).toEqual([])
})

test('a query of the builder is service_unavailable too when its backend is killed', async () => {
  const things = build.selectFrom('things').selectAll()
  const work = one.db.transaction(async (run) => {
    await run(things)
    await killBackends()
    await eventually(() => expect(run(things)).rejects.toThrow())
    await run(things)
  })
  await expect(work).rejects.toMatchObject(unavailable)
  expect(await one.db.run(things)).toEqual([])
})

test('while Postgres is unreachable everything is service_unavailable and the process not ready; then it recovers', async () => {
  const proxy = await startFaultProxy(() => env.stack.databaseUrl('consent'))
  const { kit, db } = await startProcess(env, { url: proxy.via(env.stack.databaseUrl('consent')) })
  kit.health.setReady(true)
  await eventually(async () => expect(await kit.health.failures()).toEqual([]))
  await proxy.fail()
  await eventually(() => expect(db.run('select 1')).rejects.toMatchObject(unavailable))
  await expect(db.transaction((run) => run('select 1'))).rejects.toMatchObject(unavailable)
  await expect(db.run(build.selectFrom('things').selectAll())).rejects.toMatchObject(unavailable)
  expect(await kit.health.failures()).toEqual(['postgres'])
  await proxy.recover()
  expect(await db.run('select 1 as one')).toEqual([{ one: 1 }])
  await eventually(async () => expect(await kit.health.failures()).toEqual([]))
  await kit.stop()
  await proxy.stop()
})

test('a start waits for Postgres', async () => {
  const proxy = await startFaultProxy(() => env.stack.databaseUrl('consent'))
  await proxy.fail()
  const starting = startProcess(env, { url: proxy.via(env.stack.databaseUrl('consent')) })
  await proxy.recover()
  const { kit, db } = await starting
  expect(await db.run('select 1 as one')).toEqual([{ one: 1 }])
  await kit.stop()
  await proxy.stop()
})

test('a start with a wrong password fails at once, names the variable to check, and does not show the password', async () => {
  const url = new URL(env.stack.databaseUrl('consent'))
  url.password = 'hunter2'
  const kit = createTestKit('consent')
  const opening = openDatabase(kit, { config: { DATABASE_URL: url.href, DATABASE_POOL_SIZE: 1 } })
  const error = (await opening.catch((reason: unknown) => reason)) as Error
  expect(error.message).toMatch(/^Postgres at 127\.0\.0\.1:\d+ cannot be used as consent .*: check DATABASE_URL$/)
  expect(error.message).not.toContain('hunter2')
  await kit.stop()
})

const parcels: Migrations = [
  { name: '0001-parcels', transaction: ['create table parcels (id int primary key)'] },
  { name: '0002-weight', transaction: ['alter table parcels add column weight int'] },
  { name: '0003-colour', transaction: ['alter table parcels add column colour text'] },
]

test('opening migrates the schema if the configuration says so, and otherwise waits until another process has done so', async () => {
  const config = { DATABASE_URL: env.stack.databaseUrl('consent'), DATABASE_POOL_SIZE: 1 }
  const waiting = createTestKit('consent')
  waiting.health.setReady(true)
  let opened = false
  const opening = openDatabase(waiting, { config, migrations: parcels }).then(() => {
    opened = true
  })
  await eventually(async () =>
    expect(await waiting.health.failures()).toEqual(['migration missing: 0001-parcels and 2 more']),
  )
  const older = createTestKit('consent')
  const migrating = { ...config, MIGRATE_ON_START: true }
  await openDatabase(older, { config: migrating, migrations: parcels.slice(0, 2) })
  await eventually(async () => expect(await waiting.health.failures()).toEqual(['migration missing: 0003-colour']))
  expect(opened).toBe(false)
  const newer = createTestKit('consent')
  await openDatabase(newer, { config: migrating, migrations: parcels })
  await opening
  // The release before goes on with the newer schema.
  for (const kit of [waiting, newer, older]) kit.health.setReady(true)
  for (const { health } of [waiting, newer, older])
    await eventually(async () => expect(await health.failures()).toEqual([]))
  // As after an older backup was restored.
  await env.sql('consent').query(`delete from schema_migrations where name = '0003-colour'`)
  await eventually(async () => expect(await newer.health.failures()).toEqual(['migration missing: 0003-colour']))
  for (const kit of [waiting, newer, older]) await kit.stop()
})

test('a process that is stopped while it waits for migrations ends', async () => {
  const config = { DATABASE_URL: env.stack.databaseUrl('consent'), DATABASE_POOL_SIZE: 1 }
  const kit = createTestKit('consent')
  const migrations = [{ name: '0001-never', transaction: ['select 1'] }]
  const opening = openDatabase(kit, { config, migrations })
  const ended = expect(opening).rejects.toThrow('stopped while waiting for a command')
  await eventually(() => expect(kit.lines.map(({ reason }) => reason)).toContain('migration missing: 0001-never'))
  await kit.stop()
  await ended
})
