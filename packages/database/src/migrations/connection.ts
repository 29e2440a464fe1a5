import pg from 'pg'
import { lockTimeoutMs as statementLockTimeoutMs } from '../session-settings.ts'

/** Lock timeout of a migration. Statements of services queue behind its lock request, and must wait longer than it does. */
const lockTimeoutMs = statementLockTimeoutMs / 2

export interface MigrationTarget {
  url: string
  schema: string
}

/** Arbitrary but constant; distinguishes this advisory lock from others. */
const lockClass = 7_291_001

/** Opens a connection for migrations: no statement timeout, but a lock timeout. Overrides every setting of the role. */
export async function openMigrationConnection({ url, schema }: MigrationTarget): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: `${schema}-migrate`,
    connectionTimeoutMillis: 5000,
    keepAlive: true,
  })
  // The running statement reports a lost connection by itself.
  client.on('error', () => {})
  await client.connect()
  await client.query(
    `set search_path = ${client.escapeIdentifier(schema)};
     set statement_timeout = 0;
     set lock_timeout = ${lockTimeoutMs};
     set idle_in_transaction_session_timeout = '30s';
     set enable_seqscan = on; set enable_bitmapscan = on; set enable_hashjoin = on; set enable_mergejoin = on`,
  )
  return client
}

/**
 * Tries to become the only migrating session; the lock lasts until disconnection. It polls, because a waiting session
 * holds a snapshot, which `create index concurrently` would wait for.
 */
export async function tryMigrationLock(client: pg.Client, schema: string): Promise<boolean> {
  const { rows } = await client.query('select pg_try_advisory_lock($1, hashtext($2)) as taken', [lockClass, schema])
  return rows[0].taken
}

/** Runs work without a lock timeout, because no other statement queues behind it. */
export async function withoutLockTimeout(client: pg.Client, work: () => Promise<unknown>): Promise<void> {
  await client.query('set lock_timeout = 0')
  await work()
  await client.query(`set lock_timeout = ${lockTimeoutMs}`)
}
