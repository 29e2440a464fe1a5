import { afterAll, beforeAll, expect } from '@jest/globals'
import type { ServiceName } from '@notify/contracts'
import { type Migrations, openDatabase, type Queries, type Run } from '@notify/database'
import { TestEnv } from '@notify/dev-env'
import { createTestKit, type TestKit } from './kit.ts'

/** A pool of connections to the schema of a service, as one of its processes has it. */
export interface OpenSchema {
  db: Queries
  /** Must be stopped by the caller of `openSchema`. */
  kit: TestKit
}

export interface SchemaOptions {
  /** Run first, as far as the database does not have them. */
  migrations?: Migrations
  poolSize?: number
  /** By default that of the service's role. */
  url?: string
}

/** Opens the schema of a service, in addition to its processes. */
export async function openSchema(
  env: TestEnv,
  service: ServiceName,
  { migrations, poolSize = 8, url = env.stack.databaseUrl(service) }: SchemaOptions = {},
): Promise<OpenSchema> {
  const kit = createTestKit(service)
  const config = { DATABASE_URL: url, DATABASE_POOL_SIZE: poolSize, MIGRATE_ON_START: true }
  return { kit, db: await openDatabase(kit, { config, ...(migrations && { migrations }) }) }
}

/**
 * Opens the schema of a service before the tests of a file, in a database of their own, and closes it after them.
 * @param opened gets it before any later `beforeAll`
 */
export function useOwnSchema(
  service: ServiceName,
  options: SchemaOptions,
  opened: (own: OpenSchema & { env: TestEnv }) => void,
): void {
  let env: TestEnv | undefined
  let own: OpenSchema | undefined
  beforeAll(async () => {
    env = await TestEnv.start([], { migrated: options.migrations !== undefined })
    own = await openSchema(env, service, options)
    opened({ ...own, env })
  })
  afterAll(async () => {
    await own?.kit.stop()
    await env?.stop()
  })
}

/**
 * Runs work in one transaction and counts the rows of these tables that it reads, in whichever way: a statement that reads all of
 * a table shows, however quick it is.
 */
export function countRowsRead<Db extends Queries>(
  db: Db,
  tables: readonly string[],
  work: (db: Db) => Promise<unknown>,
): Promise<number> {
  return db.transaction(async (run) => {
    const before = await rowsRead(run, tables)
    const transaction = <T>(inner: (run: Run) => Promise<T>) => inner(run)
    await work({ ...db, run, runLong: run, transaction, longTransaction: transaction })
    return (await rowsRead(run, tables)) - before
  })
}

/** By this transaction, or one before whose count is still with the session. */
async function rowsRead(run: Run, tables: readonly string[]): Promise<number> {
  const [row] = await run<{ read: number }>(
    `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as read from pg_stat_xact_user_tables
     where schemaname = current_schema and relname = any($1)`,
    [tables],
  )
  return row!.read
}

/** Rows of a nearly empty table, and of a full one. */
export const [few, many] = [20, 20_000]

interface Growth {
  tables: readonly string[]
  /** Adds rows to the tables. */
  fill(count: number): Promise<void>
  /** Runs every statement that is judged later. */
  runAll(): Promise<unknown>
}

/**
 * Fills tables after the statements were planned for nearly empty ones, as connections keep their plans for days.
 * @param db has one connection, whose plans are these
 */
export async function fillAfterPlanning(db: Queries, { tables, fill, runAll }: Growth): Promise<void> {
  for (const table of tables) await db.run(`alter table ${table} set (autovacuum_enabled = false)`)
  await db.run('set plan_cache_mode = force_generic_plan')
  await fill(few)
  await db.run(`analyze ${tables.join(', ')}`)
  await runAll()
  await fill(many)
}

/** A pool of `pg`, as far as it is used here. */
interface Readers {
  connect(): Promise<{ query(text: string): Promise<unknown>; release(): void }>
}

interface Deletion {
  /** That the rows are found by; in the schema of `db`. */
  index: string
  /** Deletes a batch; resolves to whether there may be more. */
  deleteBatch(): Promise<boolean>
  /** Batches before the one that is judged. */
  after: number
}

/** As {@link entriesBehindReader}, of a batch of a deletion. */
export function entriesOfBatch(
  db: Queries,
  readers: Readers,
  { index, deleteBatch, after }: Deletion,
): Promise<number> {
  const deleteFull = async () => {
    if (!(await deleteBatch())) throw new Error('there were too few rows for a full batch')
  }
  const before = async () => {
    for (let batch = 0; batch < after; batch++) await deleteFull()
  }
  return entriesBehindReader(db, readers, { index, before, work: deleteFull })
}

interface Behind {
  /** In the schema of `db`. */
  index: string
  /** Ends rows, which then stay in the index. */
  before(): Promise<unknown>
  work(): Promise<unknown>
}

/**
 * Counts the index entries that work reads, also those of rows that have ended, while a reader keeps them from being vacuumed, as
 * `pg_dump` does.
 * @param db has one connection, which the work uses
 * @param readers of the same database
 */
export async function entriesBehindReader(
  db: Queries,
  readers: Readers,
  { index, before, work }: Behind,
): Promise<number> {
  const reader = await readers.connect()
  // It is idle for as long as the work takes on a busy machine.
  await reader.query(
    `begin isolation level repeatable read; set local idle_in_transaction_session_timeout = 0;
     select from pg_class limit 1`,
  )
  try {
    await before()
    const entries = await entriesRead(db, index)
    await work()
    return (await entriesRead(db, index)) - entries
  } finally {
    await reader.query('rollback')
    reader.release()
  }
}

async function entriesRead(db: Queries, index: string): Promise<number> {
  await db.run('select pg_stat_force_next_flush()')
  const [row] = await db.run<{ read: number }>(
    `select idx_tup_read::int as read from pg_stat_user_indexes
     where schemaname = current_schema and indexrelname = $1`,
    [index],
  )
  return row!.read
}

interface Refill {
  table: string
  /** Adds thousands of rows that are so many days old. */
  fill(days: number): Promise<unknown>
  createDeletion(db: Queries): () => Promise<boolean>
}

/** Counts the pages that a deletion with nothing due reads, once newer rows have taken those of the rows that it deleted before. */
export async function pagesReadOnceRefilled(db: Queries, { table, fill, createDeletion }: Refill): Promise<number> {
  await fill(100)
  await fill(0)
  const deleteSome = createDeletion(db)
  while (await deleteSome());
  await db.run(`vacuum analyze ${table}`)
  await fill(0)
  return db.transaction(async (run) => {
    const counted: number[] = []
    // Autovacuum makes the session read the first pages of all indexes again, at any moment; hardly at each of three.
    for (let round = 0; round < 3; round++) {
      const before = await pagesRead(run, table)
      await createDeletion({ ...db, run, runLong: run })()
      counted.push((await pagesRead(run, table)) - before)
    }
    return Math.min(...counted)
  })
}

/** Of a table and its indexes, by this transaction. */
async function pagesRead(run: Run, table: string): Promise<number> {
  const [row] = await run<{ pages: number }>(
    `select sum(pg_stat_get_xact_blocks_fetched(oid))::int as pages from pg_class
     where oid = $1::regclass or oid in (select indexrelid from pg_index where indrelid = $1::regclass)`,
    [table],
  )
  return row!.pages
}

const columns = 'id, lane, channel, status, settled, enqueued_at, next_attempt_at, expires_at, created_at'
const expiry = 'case when payload is not null then expires_at end'
const open = `select ${columns.replace('expires_at', expiry)} from notifications where not settled or (expires_at is not null and payload is not null)`
const followed = `select ${columns} from in_flight`

/** In one snapshot: each message that is sent now has one open attempt, and what is open is in flight with its own values. */
const disagreements = `
  select 'sending without an open attempt' as fault, n.id from notifications n where sending and not exists (
    select from attempts a where a.notification_id = n.id and a.number = n.attempt_count and a.finished_at is null)
  union all
  select 'an open attempt of what is not being sent', a.notification_id
  from attempts a left join notifications n on n.id = a.notification_id
  where a.finished_at is null and (n.sending is not true or n.attempt_count <> a.number)
  union all
  select 'open, and not in flight as it is', id from (${open} except ${followed}) as missing
  union all
  select 'in flight, and not open as it is', id from (${followed} except ${open}) as left_over
  limit 20`

/**
 * Expects that dispatch's notifications, attempts and rows in flight agree. Each statement changes all three, so this holds at every
 * moment, whatever was killed.
 * @param run runs a query in the schema of dispatch
 */
export async function attemptsAgree(run: (text: string) => Promise<unknown[]>): Promise<void> {
  expect(await run(disagreements)).toEqual([])
}

/** {@link attemptsAgree} in the database of a stack. */
export const attemptsAgreeIn = (env: TestEnv) =>
  attemptsAgree(async (text) => (await env.sql('dispatch').query(text)).rows)
