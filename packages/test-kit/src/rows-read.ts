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
