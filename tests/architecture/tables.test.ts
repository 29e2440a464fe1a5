import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createTestKit } from '@notify/test-kit/service-kit'
import { schemaOf, serviceNames } from '../../packages/contracts/src/index.ts'
import { type EncryptedColumn, type Migrations, migrate, openDatabase } from '../../packages/database/src/index.ts'
import { TestEnv } from '../../packages/dev-env/src/index.ts'
import { sharedTablesOf, tablesOf } from '../../scripts/service-declarations.ts'
import { readText, root } from './sources.ts'

let env: TestEnv

beforeAll(async () => {
  env = await TestEnv.start([])
})
afterAll(() => env.stop())

test.each(serviceNames)(
  'the tables that %s knows are those that its migrations make, column by column',
  async (service) => {
    const schema = schemaOf(service)
    const kit = createTestKit(service)
    const url = env.stack.databaseUrl(service)
    const db = await openDatabase(kit, { config: { DATABASE_URL: url, DATABASE_POOL_SIZE: 1 } })
    const file = join(root, 'services', service, 'src', 'db', 'migrations.ts')
    const { migrations } = (await import(file)) as { migrations: Migrations }
    await migrate(kit, { config: { DATABASE_URL: url }, schema, migrations })
    const rows = await db.run<{ name: string; columns: string[] }>(
      `select table_name as name, array_agg(column_name::text order by ordinal_position) as columns
     from information_schema.columns where table_schema = $1 and table_name <> 'schema_migrations' group by table_name`,
      [schema],
    )
    await kit.stop()
    const made = new Map(rows.map(({ name, columns }) => [name, columns.toSorted()]))
    const shared = await sharedTablesOf(service)
    const known = await tablesOf(service)
    expect([...made.keys()].sort()).toEqual([...known.map(({ name }) => name), ...shared].sort())
    for (const { name, columns } of known) expect([name, made.get(name)]).toEqual([name, columns.toSorted()])
  },
)

test('every column that holds bytes is one that rotate-keys goes through, and the service has the command', async () => {
  const { rows } = await env.admin.query(
    `select table_schema as schema, table_name || '.' || column_name as column from information_schema.columns
     where data_type = 'bytea' and table_schema = any($1) order by 1, 2`,
    [serviceNames.map(schemaOf)],
  )
  const declared = await Promise.all(
    serviceNames.map(async (service) => {
      const source = join(root, 'services', service, 'src')
      const file = join(source, 'db', 'encrypted-columns.ts')
      if (!existsSync(file)) return []
      const { encryptedColumns } = (await import(file)) as { encryptedColumns: readonly EncryptedColumn[] }
      expect(readText(join('services', service, 'src', 'service.ts'))).toContain('rotateKeysCommand(encryptedColumns')
      return encryptedColumns.map(({ table, column }) => ({ schema: schemaOf(service), column: `${table}.${column}` }))
    }),
  )
  const inOrder = (columns: { schema: string; column: string }[]) =>
    columns.map(({ schema, column }) => `${schema}.${column}`).sort()
  expect(rows.length).toBeGreaterThan(2)
  expect(inOrder(rows)).toEqual(inOrder(declared.flat()))
})
