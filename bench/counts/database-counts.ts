import type pg from 'pg'
import type { Counts } from './counts.ts'

/** Settings of a Postgres that is counted. After a checkpoint, the first change of each page would add its image to the WAL. */
export const countedSettings = [
  'shared_preload_libraries=pg_stat_statements',
  'pg_stat_statements.track_planning=on',
  'checkpoint_timeout=1h',
]

/** The statement that `readDatabaseCounts` needs. */
export const createStatements = 'create extension if not exists pg_stat_statements'

/** Sessions report row versions and transactions once a second while busy, and after ten seconds when idle. */
export const reportedAfterMs = 11_000

/** Counters that are exact at once: WAL, and by role how many statements ran and were planned, with their time. Counts `begin` and `commit`. */
export async function readDatabaseCounts(database: pg.Pool): Promise<Counts> {
  const wal = await database.query(`select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as bytes`)
  const { rows } = await database.query(
    `select userid::regrole::text as name, sum(calls)::float8 as calls, sum(plans)::float8 as plans,
       sum(total_exec_time + total_plan_time)::float8 as ms
     from pg_stat_statements where userid <> 'postgres'::regrole group by 1`,
  )
  return {
    wal_bytes: { postgres: wal.rows[0].bytes },
    statements: Object.fromEntries(rows.map(({ name, calls }) => [name, calls])),
    plans: Object.fromEntries(rows.map(({ name, plans }) => [name, plans])),
    statement_us: Object.fromEntries(rows.map(({ name, ms }) => [name, ms * 1000])),
  }
}

/** Row versions by table and transactions of the database; see `reportedAfterMs`. */
export async function readReportedCounts(database: pg.Pool): Promise<Counts> {
  const { rows } = await database.query(
    `select schemaname || '.' || relname as name, n_tup_ins::float8 as inserts, n_tup_upd::float8 as updates,
       n_tup_del::float8 as deletes, n_tup_hot_upd::float8 as hot_updates from pg_stat_user_tables`,
  )
  const transactions = await database.query(
    `select (xact_commit + xact_rollback)::float8 as count from pg_stat_database where datname = current_database()`,
  )
  const of = (kind: string) => Object.fromEntries(rows.map((row) => [row.name, row[kind]]))
  return {
    inserts: of('inserts'),
    updates: of('updates'),
    deletes: of('deletes'),
    hot_updates: of('hot_updates'),
    transactions: { postgres: transactions.rows[0].count },
  }
}

/** The cost of one statement since the last reset. */
export interface StatementCost {
  role: string
  calls: number
  ms: number
  query: string
}

/** All statements of the services since the last reset. */
export async function readStatements(database: pg.Pool): Promise<StatementCost[]> {
  const { rows } = await database.query(
    `select userid::regrole::text as role, calls::float8, (total_exec_time + total_plan_time)::float8 as ms,
       regexp_replace(query, '\\s+', ' ', 'g') as query
     from pg_stat_statements where userid <> 'postgres'::regrole`,
  )
  return rows
}
