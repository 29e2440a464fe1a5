import { deletionInOrder } from './delete-in-order.ts'
import type { Queries } from './open.ts'

/** Rows of a table that has a summary index (BRIN) over their time. */
interface Expiring {
  table: string
  /** The column of the time. */
  time: string
  keptDays: number
}

const batch = 1000

/**
 * Deletes rows by their age, a batch at a time; see {@link deletionInOrder}.
 * @returns a function that deletes one batch of older rows and resolves to true when there may be more
 */
export function deletionByTime(db: Queries, { table, time, keptDays }: Expiring): () => Promise<boolean> {
  // Several rows may have the time at which a batch ended: the next one begins with it.
  const text = `
    with page as (
      select ctid, ${time} as at from ${table}
      where ${time} >= $1 and ${time} < now() - interval '${keptDays} days' order by ${time} limit ${batch} for update skip locked
    ), gone as (
      delete from ${table} where ctid = any(array(select ctid from page)) returning 1
    )
    select count(*)::int as deleted, (select max(at) from page) as last from gone`
  const deleteSome = deletionInOrder(batch, async (after: Date | null) => {
    const [row] = await db.runLong<{ deleted: number; last: Date | null }>(text, [after ?? new Date(0)])
    return row!
  })
  return async () => (await deleteSome()).more
}
