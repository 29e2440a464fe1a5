import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { serviceNames } from '@notify/contracts'
import { type Migration, migrate } from '@notify/database'
import { TestEnv } from '@notify/dev-env'
import { createTestKit } from '@notify/test-kit/kit'
import { isOwnMigration, migrationsOf } from '../../scripts/service-declarations.ts'
import { judgeMigrations } from './judge-migrations.ts'
import { readText, root } from './sources.ts'

let env: TestEnv
beforeAll(async () => {
  env = await TestEnv.start([])
})
afterAll(() => env.stop())

test.each(serviceNames)('the migrations of %s neither rewrite nor block a table that exists', async (service) => {
  expect(await judgeMigrations(await migrationsOf(service))).toEqual([])
})

test.each(serviceNames)('the migrations of %s have the names of their files, in order, once each', async (service) => {
  const names = (await migrationsOf(service)).map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  const own = (await migrationsOf(service)).filter(isOwnMigration).map(({ name }) => name)
  const folder = join(root, 'services', service, 'src', 'db', 'migrations')
  const files = existsSync(folder) ? readdirSync(folder).map((file) => file.replace(/\.ts$/, '')) : []
  expect(own).toEqual(files.sort())
  expect(own.map((name) => Number(name.slice(0, 4)))).toEqual(own.map((_, index) => index + 1))
})

/** What is to be folded into the first migrations, whose tables nobody has yet. */
const secondOf = (changelog: string, migrations: readonly Migration[]) =>
  (changelog.match(/^## .*$/gm) ?? []).every((heading) => heading.endsWith('- unreleased'))
    ? migrations.map(({ name }) => name).filter((name) => !/(^|-)0001\b/.test(name))
    : []

test.each(serviceNames)(
  'while nothing is released, a change of the tables of %s edits its baseline',
  async (service) => {
    expect(secondOf(readText('CHANGELOG.md'), await migrationsOf(service))).toEqual([])
  },
)

test('a second migration is refused before the first release, and only then', () => {
  const [first, second, shared] = ['0001-baseline', '0002-weights', 'outbox-0002'].map((name) => ({
    name,
    transaction: [],
  }))
  const found = (changelog: string) => secondOf(changelog, [first!, second!, shared!])
  expect(found('# Changelog\n\n## [1.0.0] - unreleased\n')).toEqual(['0002-weights', 'outbox-0002'])
  expect(found('# Changelog\n\n## [1.0.0] - 2026-11-30\n')).toEqual([])
  expect(found('# Changelog\n\n## [1.1.0] - unreleased\n\n## [1.0.0] - 2026-11-30\n')).toEqual([])
})

const foundation: Migration = {
  name: '0001-foundation',
  transaction: [
    'create table parcels (id int primary key, weight int, label text)',
    'create index parcels_weight on parcels (weight)',
    'create table crates (id int primary key)',
  ],
}
const step = (...transaction: string[]): Migration => ({ name: '0002-step', transaction })

const bad: [string, Migration[]][] = [
  ['0002-step: create index on parcels stops its writers', [step('create index parcels_label on parcels (label)')]],
  ['0002-step: AT_AlterColumnType is not', [step('alter table parcels alter column weight type bigint')]],
  [
    '0002-step: the default of parcels.at is no',
    [step('alter table parcels add at timestamptz default clock_timestamp()')],
  ],
  ['0002-step: the default of parcels.key is no', [step('alter table parcels add key uuid not null default uuidv7()')]],
  ['0002-step: parcels.place is not null and has no', [step('alter table parcels add column place int not null')]],
  ['0002-step: the type of parcels.n is not known', [step('alter table parcels add column n bigserial')]],
  [
    '0002-step: parcels.n brings a CONSTR_IDENTITY',
    [step('alter table parcels add n int generated always as identity')],
  ],
  [
    '0002-step: parcels.heavy brings a CONSTR_GENERATED',
    [step('alter table parcels add column heavy boolean generated always as (weight > 9) stored')],
  ],
  ['0002-step: parcels.n brings a CONSTR_CHECK', [step('alter table parcels add column n int check (n > 0)')]],
  [
    '0002-step: parcels.crate brings a CONSTR_FOREIGN',
    [step('alter table parcels add column crate int references crates')],
  ],
  ['0002-step: parcels.code brings a CONSTR_UNIQUE', [step('alter table parcels add column code text unique')]],
  ['0002-step: add constraint on parcels reads it', [step('alter table parcels add constraint c check (weight > 0)')]],
  [
    '0002-step: add constraint on parcels reads it',
    [step('alter table parcels add foreign key (id) references crates')],
  ],
  ['0002-step: add constraint on parcels reads it', [step('alter table parcels add constraint u unique (label)')]],
  ['0002-step: set not null on parcels.weight', [step('alter table parcels alter column weight set not null')]],
  [
    '0003-step: set not null on parcels.weight',
    [
      step('alter table parcels add constraint c check (weight is not null) not valid'),
      { name: '0003-step', transaction: ['alter table parcels alter column weight set not null'] },
    ],
  ],
  [
    '0002-step: validate constraint stands alone',
    [
      step(
        'alter table parcels add constraint c check (weight is not null) not valid',
        'alter table parcels validate constraint c',
      ),
    ],
  ],
  ['0002-step: RenameStmt is not', [step('alter table parcels rename column label to name')]],
  ['0002-step: RenameStmt is not', [step('alter table parcels rename to packets')]],
  ['0002-step: AT_DropColumn is not', [step('alter table parcels drop column label')]],
  ['0002-step: AT_DropConstraint is not', [step('alter table parcels drop constraint parcels_pkey')]],
  [
    '0002-step: AT_DropConstraint is not',
    [step('alter table parcels drop constraint c, add constraint d check (weight > 0) not valid')],
  ],
  ['0002-step: DropStmt is not', [step('drop table parcels')]],
  ['0002-step: TruncateStmt is not', [step('truncate parcels')]],
  ['0002-step: VacuumStmt is not', [step('vacuum full parcels')]],
  ['0002-step: LockStmt is not', [step('lock table parcels')]],
  ['0002-step: DoStmt is not', [step('do $$ begin drop table parcels; end $$')]],
  ['0002-step: rows are changed in { batches }', [step('update parcels set weight = 0')]],
  ['0002-step: rows are changed in { batches }', [step('with gone as (delete from parcels returning 1) select 1')]],
  ['0002-step: changes parcels and crates', [step('alter table parcels add a int', 'alter table crates add a int')]],
  ['0002-fill: batches are one', [{ name: '0002-fill', batches: 'update parcels set weight = 0' }]],
  [
    '0002-fill: a batch is a page',
    [{ name: '0002-fill', batches: 'with all_of_it as (update parcels set weight = 0) select null as last' }],
  ],
  [
    '0002-fill: a batch changes parcels where it is in the page',
    [
      {
        name: '0002-fill',
        batches: `with page as (select id from parcels where id > coalesce($1, 0) order by id limit 500),
          filled as (update parcels set weight = 0 where label is null)
          select max(id) as last from page`,
      },
    ],
  ],
  [
    '0002-fill: a batch is a page',
    [
      {
        name: '0002-fill',
        batches: `with filled as (update parcels set weight = 0 where id > $1 returning id)
          select max(id) as last from filled order by 1 limit 1`,
      },
    ],
  ],
  ['0002-fill: batches are one', [{ name: '0002-fill', batches: 'select 1; select 2' }]],
  [
    '0002-step: create index on parcels',
    [step('create table if not exists parcels (id int)', 'create index on parcels (label)')],
  ],
  ['0002-step: a table is named without', [step('create table other.parcels (id int)')]],
  ['0002-step: a table is named without', [step('alter table other.parcels add column n int')]],
  ['0002-step: a temporary table', [step('create temp table parcels (id int)')]],
  ['0002-step: a partition of parcels', [step('create table heavy partition of parcels for values from (9) to (99)')]],
  ['0002-step: a partition of parcels', [step('create table heavy () inherits (parcels)')]],
  [
    '0002-step: changes parcels and crates',
    [
      step(
        'create table lids (id int references parcels, crate int)',
        'alter table lids add foreign key (crate) references crates',
      ),
    ],
  ],
  [
    '0002-step: changes parcels and crates',
    [step('create table lids (id int references parcels, crate int references crates)')],
  ],
  ['0002-step: changes parcels and crates', [step('drop index parcels_weight', 'alter table crates add n int')]],
  ['0002-step: no migration has made the index other', [step('drop index parcels_weight, other')]],
  ['0002-step: parcels is created twice', [step('create table parcels (id int)')]],
  ['0002-step: the type of parcels.n is not known', [step('alter table parcels add n positive_int default 1')]],
  ['0002-step: the default of parcels.n is no', [step('alter table parcels add n int not null default null')]],
  ['0002-step: the previous release may rely', [step('alter table parcels alter id drop default')]],
  [
    '0002-step: AT_AttachPartition is not',
    [
      step(
        'create table lids (id int, weight int, label text) partition by range (id)',
        'alter table lids attach partition parcels for values from (1) to (9)',
      ),
    ],
  ],
  [
    '0002-as-0001: DoStmt is not',
    [{ name: '0002-as-0001', transaction: ['do $$ begin update parcels set id = 1; end $$'] }],
  ],
  [
    '0002-step: rows are changed in { batches }',
    [
      step(
        'create table lids (id int)',
        `with m as (merge into parcels using lids on parcels.id = lids.id when matched then update set weight = 0
           returning parcels.id) insert into lids select id from m`,
      ),
    ],
  ],
  [
    '0002-step: rows are changed in { batches }',
    [
      step(
        'create table lids (id int)',
        'create function wipe() returns int language sql as $$ update parcels set weight = 0; select 1 $$',
        'insert into lids values (wipe())',
      ),
    ],
  ],
  [
    '0002-step: a part of a statement has the name',
    [
      step(
        'create table lids (id int)',
        'with parcels as (select id from parcels) insert into lids select id from parcels',
      ),
    ],
  ],
  [
    '0002-step: rows are changed in { batches }',
    [step('create table lids (id int)', 'insert into lids select id from parcels')],
  ],
  [
    '0002-step: rows are changed in { batches }',
    [
      step(
        'create table lids (id int)',
        'with gone as (delete from parcels returning id) insert into lids select id from gone',
      ),
    ],
  ],
  [
    '0005-step: set not null on parcels.weight',
    [
      step('alter table parcels add constraint c check (weight is not null) not valid'),
      { name: '0003-step', transaction: ['alter table parcels validate constraint c'] },
      {
        name: '0004-step',
        transaction: [
          'alter table parcels drop constraint c, add constraint c check (weight is not null or weight > 9) not valid',
        ],
      },
      { name: '0005-step', transaction: ['alter table parcels alter column weight set not null'] },
    ],
  ],
  ['0002-index: is not one', [{ name: '0002-index', index: { name: 'i', on: 'on parcels (id); drop table parcels' } }]],
]

const page = 'with page as (select id from parcels where id > coalesce($1, 0) order by id limit 500)'
const last = 'select max(id) as last from page'

test.each([
  ['a batch is a page', `${page.replace('limit 500', 'limit all')} ${last}`],
  ['a batch is a page', `${page.replace('limit 500', 'limit 1000000000')} ${last}`],
  ['a batch is a page', `${page.replace('500', '$1')} ${last}`],
  ['a batch is a page', `${page.replace('by id', 'by label')} ${last}`],
  ['a batch is a page', `${page.replace('by id', 'by random()')} ${last}`],
  ['a batch is a page', `${page.replace('from parcels', 'from parcels, crates')} ${last}`],
  ['a batch answers the last key', `${page} select max(parcels.id) as last from parcels, page`],
  ['found reads beside', `${page}, found as (select count(*) from parcels) ${last}`],
  ['a batch has one page', `${page}, m as (merge into parcels using page on true when matched then delete) ${last}`],
  ...[
    'update parcels set weight = 0 from page where parcels.id = page.id or true',
    'update parcels set weight = 0 where exists (select from page)',
    'update parcels set weight = 0 where id not in (select id from page)',
    'update parcels page set weight = 0 where page.id > 0',
    'update parcels set weight = 0 from page, crates where parcels.id = page.id',
    'delete from parcels using page where parcels.id > page.id',
    'insert into crates select id from parcels where (select count(*) from page) > 0',
  ].map((change) => ['where it is in the page only', `${page}, changed as (${change}) ${last}`]),
])('a batch is refused that may be larger than its page: %s: %s', async (fault, batches) => {
  const found = await judgeMigrations([foundation, { name: '0002-fill', batches: batches! }])
  expect(found).toEqual([expect.stringContaining(fault!)])
})

test.each(bad)('a migration is refused that would block or rewrite: %s', async (fault, migrations) => {
  expect(await judgeMigrations([foundation, ...migrations])).toEqual([expect.stringContaining(fault)])
})

const good: Migration[] = [
  foundation,
  step('alter table parcels add column place int, add column zone text not null default $$north$$'),
  { name: '0003-tags', transaction: [`alter table parcels add column tags text[] not null default '{}'::text[]`] },
  { name: '0004-label', index: { name: 'parcels_label', on: `on parcels (label) where label <> ''`, unique: true } },
  {
    name: '0005-fill',
    batches: `with page as (select id from parcels where id > coalesce($1, 0) order by id limit 500),
      filled as (update parcels set weight = 0 from page where parcels.id = page.id and weight is null)
      select max(id) as last from page`,
  },
  {
    name: '0006-weighed',
    transaction: ['alter table parcels add constraint weighed check (weight is not null) not valid'],
  },
  { name: '0007-weighed', transaction: ['alter table parcels validate constraint weighed'] },
  { name: '0008-weighed', transaction: ['alter table parcels alter column weight set not null'] },
  {
    name: '0009-zone',
    transaction: ['alter table parcels alter column zone set default $$south$$, set (fillfactor = 90)'],
  },
  {
    name: '0010-lids',
    transaction: ['create table lids (id int)', 'create index lids_id on lids (id)', 'insert into lids values (1)'],
  },
  { name: '0011-gone', transaction: ['drop index parcels_weight'] },
  {
    name: '0012-weighed',
    transaction: [
      'alter table parcels drop constraint weighed, add constraint weighed check (weight is null or weight < 99) not valid',
    ],
  },
]

test('allowed migrations rewrite nothing: every table with rows keeps its files', async () => {
  expect(await judgeMigrations(good)).toEqual([])
  const run = (migrations: readonly Migration[]) =>
    migrate(createTestKit('consent'), {
      config: { DATABASE_URL: env.stack.databaseUrl('consent') },
      schema: 'consent',
      migrations,
    })
  const files = async () =>
    (
      await env.admin.query(`select relname, relfilenode from pg_class where oid in ('consent.parcels'::regclass,
       'consent.parcels_pkey'::regclass, 'consent.crates'::regclass) order by 1`)
    ).rows
  await run(good.slice(0, 1))
  await env.sql('consent').query('insert into consent.parcels select n, null, n from generate_series(1, 2000) n')
  const before = await files()
  await run(good)
  expect(await files()).toEqual(before)
  const { rows } = await env.admin.query('select count(*)::int as count from consent.schema_migrations')
  expect(rows).toEqual([{ count: good.length }])
})
