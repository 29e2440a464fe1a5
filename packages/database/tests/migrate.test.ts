import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { type Kysely, sql } from 'kysely'
import { TestEnv } from '../../dev-env/src/index.ts'
import { type Migrations, migrate } from '../src/migrate.ts'
import { type Process, startProcess } from './schema.ts'

let env: TestEnv
const running: Process[] = []

beforeAll(async () => {
  env = await TestEnv.start([])
})
afterAll(() => env.stop())
afterEach(async () => {
  await Promise.all(running.splice(0).map(({ kit }) => kit.stop()))
  await env.sql('consent').query('drop schema consent cascade; create schema consent')
})
beforeAll(() =>
  env.admin.query(`grant create on database ${new URL(env.stack.adminDatabaseUrl).pathname.slice(1)} to consent`),
)

async function start(): Promise<Process> {
  const process = await startProcess(env, { poolSize: 1 })
  running.push(process)
  return process
}

const step = (statement: string) => ({
  up: async (db: Kysely<unknown>) => {
    await sql.raw(statement).execute(db)
  },
})
const migrations: Migrations = {
  '0001-foundation': step('create table parcels (id int primary key)'),
  '0002-weight': step('alter table parcels add column weight int'),
}
const run = ({ db, kit }: Process, steps: Migrations) => migrate(db, 'consent', steps, kit.log)
const columns = async () =>
  (
    await env.admin.query(
      `select column_name from information_schema.columns where table_schema = 'consent' and table_name = 'parcels' order by ordinal_position`,
    )
  ).rows.map(({ column_name }) => column_name)
const migrated = ({ kit }: Process) =>
  kit.lines.filter(({ msg }) => msg === 'schema migrated').map(({ migration }) => migration)

test('the steps are done in the order of their names, and told', async () => {
  const one = await start()
  await run(one, { '0002-weight': migrations['0002-weight']!, '0001-foundation': migrations['0001-foundation']! })
  expect(await columns()).toEqual(['id', 'weight'])
  expect(migrated(one)).toEqual(['0001-foundation', '0002-weight'])
})

test('what was done is not done again; what is new is', async () => {
  const one = await start()
  await run(one, { '0001-foundation': migrations['0001-foundation']! })
  await run(one, migrations)
  await run(one, migrations)
  expect(migrated(one)).toEqual(['0001-foundation', '0002-weight'])
})

test('of several processes that start at the same moment one does each step, and none fails', async () => {
  const processes = await Promise.all(Array.from({ length: 5 }, start))
  await Promise.all(processes.map((process) => run(process, migrations)))
  expect(processes.flatMap(migrated)).toEqual(['0001-foundation', '0002-weight'])
  expect(await columns()).toEqual(['id', 'weight'])
})

test('a step that fails is named, and nothing of it stays', async () => {
  const one = await start()
  const broken = { ...migrations, '0003-broken': step('create table crates (id int); select no_such_column') }
  await expect(run(one, broken)).rejects.toThrow(
    'migration 0003-broken of schema consent failed: column "no_such_column" does not exist',
  )
  const { rowCount } = await env.admin.query(`select 1 from pg_tables where tablename = 'crates'`)
  expect(rowCount).toBe(0)
})

test('after a step was mended the next start goes on', async () => {
  const one = await start()
  await run(one, { ...migrations, '0003-broken': step('select no_such_column') }).catch(() => {})
  await run(one, { ...migrations, '0003-broken': step('alter table parcels add column colour text') })
  expect(await columns()).toEqual(['id', 'weight', 'colour'])
})

test('the record of what was done lies in the own schema', async () => {
  await run(await start(), migrations)
  const { rows } = await env.admin.query(`select schemaname from pg_tables where tablename = 'kysely_migration'`)
  expect(rows).toEqual([{ schemaname: 'consent' }])
})
