import type { Queries } from '@notify/database'

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

/**
 * Counts the index entries that a batch of a deletion reads, also those of deleted rows, while a reader keeps what is deleted
 * from being vacuumed.
 * @param db has one connection, which the deletion uses
 * @param readers of the same database
 */
export async function entriesOfBatch(
  db: Queries,
  readers: Readers,
  { index, deleteBatch, after }: Deletion,
): Promise<number> {
  const deleteFull = async () => {
    if (!(await deleteBatch())) throw new Error('there were too few rows for a full batch')
  }
  const reader = await readers.connect()
  await reader.query('begin isolation level repeatable read; select from pg_class limit 1')
  try {
    for (let batch = 0; batch < after; batch++) await deleteFull()
    const before = await entriesRead(db, index)
    await deleteFull()
    return (await entriesRead(db, index)) - before
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
