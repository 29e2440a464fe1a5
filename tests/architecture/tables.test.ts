import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { schemaOf, serviceNames } from '@notify/contracts'
import { type Column, type DeclaredTables, type Migrations, sharedTables, type TenantTables } from '@notify/database'
import { TestEnv } from '@notify/dev-env'
import { openSchema } from '@notify/test-kit/database'
import { declaredTablesOf, sharedTablesOf } from '../../scripts/service-declarations.ts'
import { encryptedColumnsOf, indexedTablesOf } from './encrypted-columns.ts'
import { filesBelow, readText, root } from './sources.ts'

let env: TestEnv

beforeAll(async () => {
  env = await TestEnv.start([])
})
afterAll(() => env.stop())

test.each(serviceNames)(
  'the tables that %s knows are those that its migrations make, column by column',
  async (service) => {
    const schema = schemaOf(service)
    const file = join(root, 'services', service, 'src', 'db', 'migrations.ts')
    const { migrations } = (await import(file)) as { migrations: Migrations }
    const { db, kit } = await openSchema(env, service, { migrations })
    const rows = await db.run<{
      table: string
      column: string
      type: string
      isNullable: boolean
      hasDefault: boolean
    }>(
      `select relname as table, attname as column, format_type(atttypid, null) as type, not attnotnull as "isNullable",
         atthasdef or attidentity <> '' as "hasDefault"
       from pg_class join pg_attribute on attrelid = pg_class.oid
       where relnamespace = $1::regnamespace and relkind in ('r', 'p') and relname <> 'schema_migrations'
         and attnum > 0 and not attisdropped`,
      [schema],
    )
    await kit.stop()
    const made = Map.groupBy(rows, ({ table }) => table)
    const shared = await sharedTablesOf(service)
    const known = { ...(await declaredTablesOf(service)), ...pickTables(sharedTables, shared) }
    expect([...made.keys()].sort()).toEqual(Object.keys(known).sort())
    for (const [table, columns] of Object.entries(known)) {
      const declared = Object.entries(columns).map(([name, one]) => describeColumn(name, one))
      const found = made.get(table)!.map(({ column, ...one }) => describeColumn(column, one))
      expect([table, ...declared.sort()]).toEqual([table, ...found.sort()])
    }
  },
)

type Described = Pick<Column, 'type' | 'isNullable' | 'hasDefault'>

const describeColumn = (name: string, { type, isNullable, hasDefault }: Described) =>
  `${name} ${type}${isNullable ? '' : ' not null'}${hasDefault ? ' default' : ''}`

const pickTables = (tables: DeclaredTables, names: readonly string[]): DeclaredTables =>
  Object.fromEntries(names.map((name) => [name, tables[name]!]))

/** The append-only tables, each with its primary key and a statement that adds a row. */
const appendOnly = [
  {
    table: 'gateway.audit_log',
    key: 'id',
    insert: `insert into gateway.audit_log (id, tenant_id, occurred_at, actor_kind, actor_id, action, resource_type, resource_id)
             values ('aud_1', 'ten_1', now(), 'system', 'system', 'thing.made', 'thing', '1')`,
  },
  {
    table: 'consent.consent_entries',
    key: 'id',
    insert: `insert into consent.consent_entries (id, tenant_id, mode, recipient_index, sequence, action, source, status, details,
               recorded_at)
             values ('optin_1', 'ten_1', 'live', 'index', 1, 'opt_in', 'import', 'active', '', now())`,
  },
  {
    table: 'dispatch.event_versions',
    key: 'application_id, event_key, version',
    insert: `insert into dispatch.event_versions (tenant_id, application_id, event_key, version, name, allowed_channels, templates,
               published_by)
             values ('ten_1', 'app_1', 'thing.made', 1, 'Thing', '{sms}', '{}', 'op_1')`,
  },
  {
    table: 'dispatch.preference_changes',
    key: 'id',
    insert: `insert into dispatch.preference_changes (id, tenant_id, application_id, mode, recipient_index, topic, channel, after, source,
               changed_at)
             values ('pref_1', 'ten_1', 'app_1', 'live', 'index', '*', 'email', 'off', 'page', now())`,
  },
]

describe('a table that is append-only', () => {
  beforeAll(async () => {
    for (const { insert } of appendOnly) await env.admin.query(insert)
  })

  test.each(appendOnly)(
    'refuses update, delete and truncate of every role, the superuser’s too: $table',
    async ({ table, key }) => {
      const changes = [
        `update ${table} set tenant_id = 'ten_2'`,
        `update ${table} set (${key}) = (select ${key})`,
        `insert into ${table} select * from ${table} on conflict (${key}) do update set tenant_id = 'ten_2'`,
        `delete from ${table}`,
        `truncate ${table}`,
        `truncate ${table} cascade`,
      ]
      const [owner] = table.split('.')
      for (const service of serviceNames) {
        const refusal = schemaOf(service) === owner ? 'append-only' : 'permission denied'
        for (const change of changes) await expect(env.sql(service).query(change)).rejects.toThrow(refusal)
      }
      for (const change of changes) await expect(env.admin.query(change)).rejects.toThrow('append-only')
    },
  )

  test('is each one whose trigger says so', async () => {
    const { rows } = await env.admin.query(
      `select distinct tgrelid::regclass::text as name from pg_trigger join pg_proc on pg_proc.oid = tgfoid
       where prosrc like '%append-only%' order by 1`,
    )
    expect(rows.map(({ name }) => name)).toEqual(appendOnly.map(({ table }) => table).sort())
  })
})

test('every column that holds bytes is one that rotate-keys goes through, and the service has the command', async () => {
  const { rows } = await env.admin.query(
    `select table_schema as schema, table_name || '.' || column_name as column from information_schema.columns
     where data_type = 'bytea' and table_schema = any($1) order by 1, 2`,
    [serviceNames.map(schemaOf)],
  )
  const declared = await Promise.all(
    serviceNames.map(async (service) => {
      const encryptedColumns = await encryptedColumnsOf(service)
      if (encryptedColumns.length === 0) return []
      expect(readText(join('services', service, 'src', 'service.ts'))).toContain('rotateKeysCommand(encryptedColumns')
      return encryptedColumns.map(({ table, column }) => ({ schema: schemaOf(service), column: `${table}.${column}` }))
    }),
  )
  const inOrder = (columns: { schema: string; column: string }[]) =>
    columns.map(({ schema, column }) => `${schema}.${column}`).sort()
  expect(rows.length).toBeGreaterThan(2)
  expect(inOrder(rows)).toEqual(inOrder(declared.flat()))
})

test('every column named as a blind index is one that reindex renews, and the service has the command', async () => {
  const { rows } = await env.admin.query<{ schema: string; column: string }>(
    `select table_schema as schema, table_name || '.' || column_name as column from information_schema.columns
     where column_name ~ '(^|_)(index|inbox_key)$' and table_schema = any($1) order by 1, 2`,
    [serviceNames.map(schemaOf)],
  )
  const declared = await Promise.all(
    serviceNames.map(async (service) => {
      const tables = await indexedTablesOf(service)
      if (tables.length > 0)
        expect(readText(join('services', service, 'src', 'service.ts'))).toContain('reindexCommand(indexedTables')
      return tables.flatMap(({ table, indexes = [] }) => indexes.map((name) => `${schemaOf(service)}.${table}.${name}`))
    }),
  )
  expect(rows.length).toBeGreaterThan(20)
  expect(declared.flat()).toEqual(expect.arrayContaining(rows.map(({ schema, column }) => `${schema}.${column}`)))
})

test('every BRIN index takes in new pages as they fill: until the next vacuum, searches would read all of these', async () => {
  const { rows } = await env.admin.query<{ name: string; options: string[] | null }>(
    `select pg_class.oid::regclass::text as name, reloptions as options
     from pg_class join pg_am on pg_am.oid = relam where amname = 'brin' and relkind = 'i' order by 1`,
  )
  expect(rows.length).toBeGreaterThan(3)
  expect(rows).toEqual(rows.map(({ name }) => ({ name, options: ['autosummarize=on'] })))
})

test.each(serviceNames)(
  '%s says of each of its tables whether it moves with a tenant or stays, and why',
  async (service) => {
    const file = filesBelow(join('services', service, 'src')).find((path) => path.endsWith('/tenant-tables.ts'))!
    const { tenantTables } = (await import(join(root, file))) as { tenantTables: TenantTables }
    const { rows } = await env.admin.query<{ table: string; columns: string[] }>(
      `select table_name as table, array_agg(column_name::text) as columns from information_schema.columns
     where table_schema = $1 and table_name <> 'schema_migrations' group by 1`,
      [schemaOf(service)],
    )
    const columnsOf = new Map(rows.map(({ table, columns }) => [table, columns]))
    const moved = tenantTables.moved.map(({ table }) => table)
    const stays = Object.keys(tenantTables.stays).filter((table) => columnsOf.has(table) || !(table in sharedTables))
    expect([...moved, ...stays].sort()).toEqual([...columnsOf.keys()].sort())
    for (const { table, of, own = [] } of tenantTables.moved) {
      if (of === undefined)
        expect([table, columnsOf.get(table)]).toEqual([table, expect.arrayContaining(['tenant_id'])])
      expect([table, columnsOf.get(table)]).toEqual([table, expect.arrayContaining([...own])])
    }
  },
)
