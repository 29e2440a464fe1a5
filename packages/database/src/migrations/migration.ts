/**
 * One migration as plain data, so that tests can inspect its SQL. Names are unique, and released migrations never
 * change.
 */
export type Migration = { readonly name: string } & Work

/** A service's migrations in order: shared tables first, then its own. */
export type Migrations = readonly Migration[]

type Work =
  /** Statements of one transaction. They change definitions only; `batches` changes rows. */
  | { readonly transaction: readonly string[] }
  /** An index on a table that may be full, built concurrently outside a transaction. */
  | { readonly index: ConcurrentIndex }
  /**
   * A statement that changes one page of a table, repeated in separate transactions. `$1` is the `last` of the previous
   * page, null at first; it returns null at the end. After a crash it continues behind the last page.
   * @example with page as (select id from parcels where id > coalesce($1, '') order by id limit 1000),
   * filled as (update parcels set weight = 0 from page where parcels.id = page.id and weight is null)
   * select max(id) as last from page
   */
  | { readonly batches: string }

export interface ConcurrentIndex {
  readonly name: string
  readonly unique?: boolean
  /** The part after the name in `create index`: `on notifications (lane, enqueued_at) where status = 'queued'`. */
  readonly on: string
}

/** Builds an index concurrently with writes. */
export function createIndexSql({ name, unique = false, on }: ConcurrentIndex): string {
  return `create ${unique ? 'unique ' : ''}index concurrently ${name} ${on}`
}
