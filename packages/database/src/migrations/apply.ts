import type { Client } from 'pg'
import { withoutLockTimeout } from './connection.ts'
import { type ConcurrentIndex, createIndexSql, type Migration } from './migration.ts'

/**
 * Applies and records a migration. After a crash the same call continues.
 * @param onPage called after each page of `batches`
 */
export async function applyMigration(client: Client, migration: Migration, onPage: () => void): Promise<void> {
  if ('transaction' in migration) {
    await inTransaction(client, async () => {
      for (const statement of migration.transaction) await client.query(statement)
      await note(client, migration)
    })
    return
  }
  if ('index' in migration) {
    await buildIndex(client, migration.index)
    await note(client, migration)
    return
  }
  await runBatches(client, migration.batches, onPage)
  await inTransaction(client, async () => {
    await client.query('drop table migration_progress')
    await note(client, migration)
  })
}

async function note(client: Client, { name }: Migration): Promise<void> {
  await client.query('insert into schema_migrations (name) values ($1)', [name])
}

async function inTransaction(client: Client, work: () => Promise<void>): Promise<void> {
  await client.query('begin')
  try {
    await work()
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  }
}

/** An interrupted build leaves an invalid index, which slows down writes and serves no query, so it is rebuilt. */
async function buildIndex(client: Client, index: ConcurrentIndex): Promise<void> {
  const { rows } = await client.query('select indisvalid as valid from pg_index where indexrelid = to_regclass($1)', [
    index.name,
  ])
  if (rows[0]?.valid) return
  await withoutLockTimeout(client, async () => {
    if (rows[0]) await client.query(`drop index concurrently ${index.name}`)
    await client.query(createIndexSql(index))
  })
}

/**
 * Each page commits together with its `last`, where the next attempt begins, or another process after this one has died. The
 * table exists only meanwhile, and only for this statement: a corrected one begins at the first page.
 */
async function runBatches(client: Client, statement: string, onPage: () => void): Promise<void> {
  await client.query('create table if not exists migration_progress (statement text not null, last jsonb not null)')
  const noted = await client.query('select last from migration_progress where statement = $1', [statement])
  let last: unknown = noted.rows[0]?.last ?? null
  do {
    await inTransaction(client, async () => {
      const { rows } = await client.query<{ last: unknown }>(statement, [last])
      last = rows[0]?.last ?? null
      if (last !== null) await client.query(noteSql, [statement, JSON.stringify(last)])
    })
    onPage()
  } while (last !== null)
}

const noteSql = 'with earlier as (delete from migration_progress) insert into migration_progress values ($1, $2)'
