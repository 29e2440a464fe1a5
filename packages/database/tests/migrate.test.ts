import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { eventually, TestEnv } from '@notify/dev-env'
import { createTestKit, type TestKit } from '@notify/test-kit/kit'
import { openMigrationConnection } from '../src/migrations/connection.ts'
import { migrate } from '../src/migrations/migrate.ts'
import type { Migration, Migrations } from '../src/migrations/migration.ts'

let env: TestEnv
let kits: TestKit[] = []

beforeAll(async () => {
  env = await TestEnv.start([])
  await env.admin.query(`grant create on database ${new URL(env.stack.adminDatabaseUrl).pathname.slice(1)} to consent`)
})
afterAll(() => env.stop())
afterEach(async () => {
  kits = []
  await env.sql('consent').query('drop schema consent cascade; create schema consent')
})

/** One process that migrates. */
function run(migrations: Migrations, { attempts = 40 } = {}): Promise<void> {
  const kit = createTestKit('consent')
  kits.push(kit)
  const config = { DATABASE_URL: env.stack.databaseUrl('consent') }
  return migrate(kit, { config, schema: 'consent', migrations, attempts })
}

const foundation: Migration = {
  name: '0001-foundation',
  transaction: ['create table parcels (id int primary key)', 'insert into parcels select generate_series(1, 100)'],
}
const weight: Migration = { name: '0002-weight', transaction: ['alter table parcels add column weight int'] }
const heaviest: Migration = {
  name: '0003-heaviest',
  index: { name: 'parcels_heaviest', on: 'on parcels (weight desc) where weight is not null' },
}
const fill: Migration = {
  name: '0004-fill',
  batches: `with page as (select id from parcels where id > coalesce($1, 0) order by id limit 30),
    filled as (update parcels set weight = parcels.id from page where parcels.id = page.id and weight is null)
    select max(id) as last from page`,
}
const column = (name: string, type = 'int'): Migration => ({
  name,
  transaction: [`alter table parcels add column ${name.slice(5)} ${type}`],
})

const all = async (statement: string) => (await env.admin.query(statement)).rows
const columns = async () =>
  (
    await all(
      `select column_name from information_schema.columns
       where table_schema = 'consent' and table_name = 'parcels' order by ordinal_position`,
    )
  ).map(({ column_name }) => column_name)
const lines = (text: RegExp) => kits.flatMap((kit) => kit.lines.filter(({ msg }) => text.test(msg)))
const migrated = () => lines(/^schema migrated$/).map(({ migration }) => migration)
const tried = () => lines(/migration failed; retrying/)
const index = () =>
  all(`select indisvalid as valid from pg_index where indexrelid = to_regclass('consent.parcels_heaviest')`)

/** A concurrent transaction that has used the table and stays open. */
async function openTransaction(statement: string) {
  const client = await env.sql('consent').connect()
  await client.query(
    `begin; set local idle_in_transaction_session_timeout = 0; set search_path = consent; ${statement}`,
  )
  let open = true
  return {
    async end() {
      if (open) await client.query('rollback')
      open = false
    },
    async [Symbol.asyncDispose]() {
      await this.end()
      client.release(true)
    },
  }
}

const insert = (id: number) => env.sql('consent').query('insert into consent.parcels (id) values ($1)', [id])

test('the steps run in order, once each, and are logged', async () => {
  await run([foundation])
  await run([foundation, weight, heaviest, fill])
  await run([foundation, weight, heaviest, fill])
  expect(migrated()).toEqual(['0001-foundation', '0002-weight', '0003-heaviest', '0004-fill'])
  expect(await columns()).toEqual(['id', 'weight'])
  expect(await index()).toEqual([{ valid: true }])
  expect(await all('select count(*)::int as empty from consent.parcels where weight is null')).toEqual([{ empty: 0 }])
})

test('of several processes that start at the same moment one does each step, and none fails', async () => {
  await Promise.all(Array.from({ length: 5 }, () => run([foundation, weight, heaviest])))
  expect(migrated()).toEqual(['0001-foundation', '0002-weight', '0003-heaviest'])
})

test('a failed step is named and rolled back, and earlier steps stay', async () => {
  const broken = { name: '0003-broken', transaction: ['create table crates (id int)', 'select no_such_column'] }
  await expect(run([foundation, weight, broken])).rejects.toThrow(
    'migration 0003-broken of schema consent failed: column "no_such_column" does not exist',
  )
  expect(await all(`select 1 from pg_tables where tablename = 'crates'`)).toEqual([])
  expect(await columns()).toEqual(['id', 'weight'])
  await run([foundation, weight, column('0003-colour')])
  expect(await columns()).toEqual(['id', 'weight', 'colour'])
})

test("a role's own time limit on statements does not end a migration", async () => {
  const here = `alter role consent in database ${new URL(env.stack.adminDatabaseUrl).pathname.slice(1)}`
  await env.admin.query(`${here} set statement_timeout = '300ms'`)
  try {
    await run([foundation, { name: '0002-slow', transaction: ['select pg_sleep(1)'] }])
  } finally {
    await env.admin.query(`${here} reset statement_timeout`)
  }
  expect(migrated()).toContain('0002-slow')
})

test('a migration that waits for its lock blocks no writers, and gets the lock when it is free', async () => {
  await run([foundation])
  await using reader = await openTransaction('select * from parcels')
  const migration = run([foundation, weight])
  await eventually(() => expect(tried().length).toBeGreaterThan(0))
  await insert(1001)
  expect(tried()[0]).toMatchObject({ migration: '0002-weight', reason: expect.stringContaining('lock timeout') })
  await reader.end()
  await migration
  expect(await columns()).toEqual(['id', 'weight'])
})

test('a migration gives up on a lock before the statements that queue behind it do', async () => {
  const wait = `select extract(epoch from current_setting('lock_timeout')::interval)::float8 as seconds`
  const client = await openMigrationConnection({ url: env.stack.databaseUrl('consent'), schema: 'consent' })
  const [migration] = (await client.query(wait)).rows
  await client.end()
  const [statement] = (await env.sql('consent').query(wait)).rows
  expect(migration.seconds).toBeGreaterThan(0)
  expect(migration.seconds).toBeLessThan(statement.seconds)
})

test('a lock that is never free ends the command after its attempts', async () => {
  await run([foundation])
  await using _reader = await openTransaction('select * from parcels')
  await expect(run([foundation, weight], { attempts: 2 })).rejects.toThrow(/^migration 0002-weight .*lock timeout$/)
  expect(tried()).toHaveLength(1)
})

test('building an index blocks no writers, and waits for them without a timeout', async () => {
  await run([foundation, weight])
  await using writer = await openTransaction('insert into parcels (id) values (2001)')
  const migration = run([foundation, weight, heaviest])
  await eventually(async () => expect(await index()).toEqual([{ valid: false }]))
  await insert(1001)
  await writer.end()
  await migration
  expect(await index()).toEqual([{ valid: true }])
  expect(tried()).toEqual([])
})

test('an interrupted index build is repeated, and the migration continues by itself', async () => {
  await run([foundation, weight])
  await using writer = await openTransaction('insert into parcels (id) values (2001)')
  const migration = run([foundation, weight, heaviest, fill])
  await eventually(async () => expect(await index()).toEqual([{ valid: false }]))
  const before = await all(`select to_regclass('consent.parcels_heaviest')::oid as oid`)
  await all(`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'consent-migrate' and datname = current_database()`)
  await eventually(() => expect(tried()).toHaveLength(1))
  await writer.end()
  await migration
  expect(await index()).toEqual([{ valid: true }])
  expect(await all(`select to_regclass('consent.parcels_heaviest')::oid as oid`)).not.toEqual(before)
  expect(await all('select count(*)::int as empty from consent.parcels where weight is null')).toEqual([{ empty: 0 }])
})

test('an interrupted batch keeps the batches before it, and the next process does the rest', async () => {
  const failing: Migration = {
    name: '0004-fill',
    batches: `with page as (select id from parcels where id > coalesce($1, 0) order by id limit 30),
      filled as (
        update parcels set weight = case when parcels.id > 60 then 1 / (parcels.id - parcels.id) else parcels.id end
        from page where parcels.id = page.id)
      select max(id) as last from page`,
  }
  await expect(run([foundation, weight, failing])).rejects.toThrow('division by zero')
  expect(await all('select count(*)::int as filled from consent.parcels where weight is not null')).toEqual([
    { filled: 60 },
  ])
  await run([foundation, weight, fill])
  expect(await all('select count(*)::int as empty from consent.parcels where weight is null')).toEqual([{ empty: 0 }])
})

/** As `fill`, and notes where each page that was committed began; `more` is added to its result. */
const noting = (more: string): Migration => ({
  name: '0004-fill',
  batches: `with page as (select id from parcels where id > coalesce($1, 0) order by id limit 30),
    filled as (update parcels set weight = parcels.id from page where parcels.id = page.id),
    begun as (insert into begins values (coalesce($1, 0)))
    select max(id) as last ${more} from page`,
})
const begins: Migration = { name: '0003-begins', transaction: ['create table begins (after int)'] }
const begun = async () => (await all('select after from consent.begins')).map(({ after }) => after)
const progress = () => all(`select to_regclass('consent.migration_progress') is not null as kept`)

test('after a process has died in the middle of batches, the next one begins behind the last page', async () => {
  const migrations = [foundation, weight, begins, noting('')]
  await run(migrations.slice(0, 3))
  await using row = await openTransaction('select * from parcels where id = 70 for update')
  await expect(run(migrations, { attempts: 1 })).rejects.toThrow(/^migration 0004-fill .*lock timeout$/)
  expect([await begun(), await progress()]).toEqual([[0, 30], [{ kept: true }]])
  await row.end()
  await run(migrations)
  expect([await begun(), await progress()]).toEqual([[0, 30, 60, 90, 100], [{ kept: false }]])
  expect(await all('select count(*)::int as empty from consent.parcels where weight is null')).toEqual([{ empty: 0 }])
})

test('pages that each wait for a lock do not count together towards the attempts', async () => {
  const stumbling: Migration = {
    name: '0003-stumbling',
    transaction: [
      'create table begins (after int)',
      'create sequence tries',
      `create function stumble() returns int language plpgsql as $$ begin
         if nextval('tries') % 2 = 1 then raise 'busy' using errcode = 'lock_not_available'; end if;
         return 1;
       end $$`,
    ],
  }
  await run([foundation, weight, stumbling, noting(', (select stumble())')], { attempts: 2 })
  expect(await begun()).toEqual([0, 30, 60, 90, 100])
  expect(tried().length).toBeGreaterThan(2)
})

test('an older release leaves a newer schema unchanged and logs it in one line', async () => {
  await run([foundation, weight, column('0003-colour')])
  kits = []
  await run([foundation, weight])
  expect(lines(/./)).toEqual([
    expect.objectContaining({ level: 40, msg: 'schema is newer than this release: 0003-colour' }),
  ])
  expect(await columns()).toEqual(['id', 'weight', 'colour'])
})
