import type { Queries } from '@notify/database'

/** A pool of `pg`, as far as it is used here. */
interface Readers {
  connect(): Promise<{ query(text: string): Promise<unknown>; release(): void }>
}

interface Deletion {
  /** In the schema of `db`. */
  table: string
  /** Deletes a batch; resolves to whether there may be more. */
  deleteBatch(): Promise<boolean>
  batches: number
}

/**
 * Counts the blocks that each batch of a deletion reads of the table and its indexes, while a reader keeps what is deleted from
 * being vacuumed.
 * @param db has one connection, which the deletion uses
 * @param readers of the same database
 */
export async function blocksOfBatches(
  db: Queries,
  readers: Readers,
  { table, deleteBatch, batches }: Deletion,
): Promise<number[]> {
  const reader = await readers.connect()
  await reader.query('begin isolation level repeatable read; select from pg_class limit 1')
  try {
    const blocks: number[] = []
    while (blocks.length < batches) {
      const before = await blocksRead(db, table)
      if (!(await deleteBatch())) throw new Error(`only ${blocks.length} of ${batches} batches were full`)
      blocks.push((await blocksRead(db, table)) - before)
    }
    return blocks
  } finally {
    await reader.query('rollback')
    reader.release()
  }
}

async function blocksRead(db: Queries, table: string): Promise<number> {
  await db.run('select pg_stat_force_next_flush()')
  const [row] = await db.run<{ blocks: number }>(
    `select (heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit)::int as blocks from pg_statio_user_tables
     where schemaname = current_schema and relname = $1`,
    [table],
  )
  return row!.blocks
}
