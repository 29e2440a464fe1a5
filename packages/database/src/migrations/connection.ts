import pg from 'pg'

/** Longest wait for a lock: whoever comes after waits as long, because Postgres grants locks in turn. */
const lockTimeoutMs = 2000

export interface MigrationTarget {
  url: string
  schema: string
}

/** Any number, the same for ever: tells this lock from other advisory locks. */
const lockClass = 7_291_001

/**
 * Opens a connection for migrations alone. A statement may take as long as it needs; a lock may not. Every setting that a
 * role may bring along is set here.
 */
export async function openMigrationConnection({ url, schema }: MigrationTarget): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: `${schema}-migrate`,
    connectionTimeoutMillis: 5000,
    keepAlive: true,
  })
  // The statement that is running learns of a lost connection by itself.
  client.on('error', () => {})
  await client.connect()
  await client.query(
    `set search_path = ${client.escapeIdentifier(schema)};
     set statement_timeout = 0;
     set lock_timeout = ${lockTimeoutMs};
     set idle_in_transaction_session_timeout = '30s';
     set enable_seqscan = on; set enable_hashjoin = on; set enable_mergejoin = on`,
  )
  return client
}

/**
 * Whether this session may migrate now; it may until its connection ends. Asked again and again rather than waited for: a
 * session that waits has a snapshot, and `create index concurrently` waits for all of those.
 */
export async function tryMigrationLock(client: pg.Client, schema: string): Promise<boolean> {
  const { rows } = await client.query('select pg_try_advisory_lock($1, hashtext($2)) as taken', [lockClass, schema])
  return rows[0].taken
}

/** Runs work that may wait for others, because nobody waits behind it. */
export async function withoutLockTimeout(client: pg.Client, work: () => Promise<unknown>): Promise<void> {
  await client.query('set lock_timeout = 0')
  await work()
  await client.query(`set lock_timeout = ${lockTimeoutMs}`)
}
