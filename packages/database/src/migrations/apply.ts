import type { Client } from 'pg'
import { withoutLockTimeout } from './connection.ts'
import { type ConcurrentIndex, createIndexSql, type Migration } from './migration.ts'

/** Applies and records a migration. After a crash the same call continues. */
export async function applyMigration(client: Client, migration: Migration): Promise<void> {
  if ('transaction' in migration) {
    await inTransaction(client, async () => {
      for (const statement of migration.transaction) await client.query(statement)
      await note(client, migration)
    })
    return
  }
  if ('index' in migration) await buildIndex(client, migration.index)
  else await runBatches(client, migration.batches)
  await note(client, migration)
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

async function runBatches(client: Client, statement: string): Promise<void> {
  let last: unknown = null
  do {
    const { rows } = await client.query<{ last: unknown }>(statement, [last])
    last = rows[0]?.last ?? null
  } while (last !== null)
}
