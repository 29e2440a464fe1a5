import type { TestEnv } from '@notify/dev-env'

const rowsOf = `select c.table_schema as schema, c.table_name as name,
    string_agg(quote_ident(c.column_name), ', ') as columns
  from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
  where t.table_type = 'BASE TABLE' and c.is_generated = 'NEVER' and c.table_schema = any($1) and c.table_name <> 'schema_migrations'
  group by 1, 2`

/** Copies all rows of schemas. @returns a function that replaces the rows of that moment with the copies */
export async function backUp({ admin }: TestEnv, schemas: readonly string[]): Promise<() => Promise<void>> {
  const { rows: tables } = await admin.query<{ schema: string; name: string; columns: string }>(rowsOf, [schemas])
  await admin.query('drop schema if exists backup cascade; create schema backup')
  const copyOf = ({ schema, name }: { schema: string; name: string }) => `backup."${schema}.${name}"`
  // One statement: all tables are copied at the same moment.
  await admin.query(tables.map((one) => `create table ${copyOf(one)} as table ${one.schema}.${one.name}`).join('; '))
  return async () => {
    const client = await admin.connect()
    const restore = tables.map(
      (one) => `insert into ${one.schema}.${one.name} (${one.columns}) overriding system value
        select ${one.columns} from ${copyOf(one)}`,
    )
    const all = tables.map(({ schema, name }) => `${schema}.${name}`).join(', ')
    // Without the triggers, which would count the rows a second time.
    await client.query(
      `begin; set local session_replication_role = replica; truncate ${all}; ${restore.join('; ')}; commit`,
    )
    client.release()
  }
}
