/**
 * One step of a schema, as plain data: what it runs can be judged without running it. A name is never given twice and a
 * step that was released is never changed.
 */
export type Migration = { readonly name: string } & Work

/** A service's steps in their order: those of shared tables first, then its own. */
export type Migrations = readonly Migration[]

type Work =
  /** Statements of one transaction. They change definitions only: rows are the work of `batches`. */
  | { readonly transaction: readonly string[] }
  /** An index on a table that may be full: built beside the writers, outside of a transaction. */
  | { readonly index: ConcurrentIndex }
  /**
   * A statement that changes one page of a table by its key, repeated in a transaction of its own. `$1` is the `last` that it
   * answered before, null at first; it answers null when there is nothing left. It starts anew after a crash.
   * @example with page as (select id from parcels where id > coalesce($1, '') order by id limit 1000),
   *   filled as (update parcels set weight = 0 from page where parcels.id = page.id and weight is null)
   *   select max(id) as last from page
   */
  | { readonly batches: string }

export interface ConcurrentIndex {
  readonly name: string
  readonly unique?: boolean
  /** What follows the name in `create index`: `on notifications (lane, enqueued_at) where status = 'queued'`. */
  readonly on: string
}

/** The statement that builds an index while rows are written. */
export function createIndexSql({ name, unique = false, on }: ConcurrentIndex): string {
  return `create ${unique ? 'unique ' : ''}index concurrently ${name} ${on}`
}
