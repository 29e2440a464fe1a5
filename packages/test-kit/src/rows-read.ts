import type { Queries, Run } from '@notify/database'

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
    await work({ ...db, run, runLong: run, transaction: <T>(inner: (run: Run) => Promise<T>) => inner(run) })
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
