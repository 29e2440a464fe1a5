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
  /** Holds rows while something is done for them. Costs two round trips, a transaction of the same statements four. */
  whileLocked<Row, Result>(steps: LockedSteps<Row, Result>): Promise<Result>
}

/** Each of `lock` and `mark` runs one statement. */
export interface LockedSteps<Row, Result> {
  /** Changes nothing: its rows count only once the transaction is known to have begun. */
  lock(run: Run): Promise<Row[]>
  work(rows: Row[]): Promise<Result>
  mark(run: Run, result: Result): Promise<unknown>
}
