import type { Query, RowsOf } from './query.ts'
import type { Statement } from './statement.ts'

/** Runs a query or a statement. @throws Problem `service_unavailable` when Postgres is unreachable */
export interface Run {
  <Row>(query: Query<Row>, values?: undefined): Promise<RowsOf<Row>>
  <Row>(statement: Statement<Row>, values?: readonly unknown[]): Promise<Row[]>
  <Row>(runnable: Runnable<Row>, values?: readonly unknown[]): Promise<Row[]>
}

export type Runnable<Row> = Query<Row> | Statement<Row> | string

/** Access to a service's own schema. */
export interface Queries {
  run: Run
  /** Runs a background statement with a timeout of 20 s instead of 3 s. */
  runLong: Run
  /** Runs statements on one connection, each in a transaction of its own. */
  withConnection<T>(work: (run: Run) => Promise<T>): Promise<T>
  /** Runs statements in one transaction; a throw rolls back. */
  transaction<T>(work: (run: Run) => Promise<T>): Promise<T>
  /** The same with the timeout of background statements. */
  longTransaction<T>(work: (run: Run) => Promise<T>): Promise<T>
  /** Locks rows, works on them and marks them. Takes two round trips; a transaction of the same statements takes four. */
  whileLocked<Row, Result>(steps: LockedSteps<Row, Result>): Promise<Result>
}

/** Each of `lock` and `mark` runs one statement. */
export interface LockedSteps<Row, Result> {
  /** Must change nothing: the rows are used only after the transaction has begun successfully. */
  lock(run: Run): Promise<Row[]>
  work(rows: Row[]): Promise<Result>
  mark(run: Run, result: Result): Promise<unknown>
}
