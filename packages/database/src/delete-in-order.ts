/** A batch of deleted rows. */
interface Batch<Position> {
  deleted: number
  /** The position of the last of them, or of the last row that was examined; null if there were none. */
  last: Position | null
  /** Whether more may be left; by default, whether the batch is full. */
  more?: boolean
}

const anewEveryMs = 3_600_000

/**
 * Deletes rows in the order of an index, a batch at a time. Each batch begins where the previous one ended, so it does not
 * read again the rows that stay and the dead rows before the next vacuum. Begins again every hour. Safe in any number of
 * replicas.
 * @param batch the maximum rows of a batch
 * @param deleteAfter deletes one batch of the rows after a position; null: from the beginning
 * @returns a function that deletes one batch and resolves to the number of rows and whether there may be more
 */
export function deletionInOrder<Position, Args extends unknown[]>(
  batch: number,
  deleteAfter: (after: Position | null, ...args: Args) => Promise<Batch<Position>>,
): (...args: Args) => Promise<{ deleted: number; more: boolean }> {
  let after: Position | null = null
  let anewAtMs = performance.now() + anewEveryMs
  return async (...args) => {
    if (performance.now() >= anewAtMs) {
      after = null
      anewAtMs = performance.now() + anewEveryMs
    }
    const { deleted, last, more = deleted === batch } = await deleteAfter(after, ...args)
    after = last ?? after
    return { deleted, more }
  }
}
