import { column } from './columns.ts'
import { deletionInOrder } from './delete-in-order.ts'
import type { Queries } from './open.ts'
import { defineStatement } from './statement.ts'

/**
 * Rows of a table that has a B-tree index over their time. A BRIN index does not do: once new rows have taken the pages of deleted
 * ones, its ranges begin with the oldest time ever, and all of them match.
 */
interface Expiring {
  table: string
  /** The column of the time. */
  time: string
  keptDays: number
}

const batch = 1000

/**
 * Declares the deletion of rows by their age, a batch at a time; see {@link deletionInOrder}. Of a table whose ids begin with the time,
 * use `deletionById`, which needs no index.
 * @returns creates, for a database, a function that deletes one batch of older rows and resolves to whether there may be more
 * @example const createDeletion = deletionByTime({ table: 'parcels', time: 'sent_at', keptDays: 7 })
 */
export function deletionByTime({ table, time, keptDays }: Expiring): (db: Queries) => () => Promise<boolean> {
  // Rows may have the same time as the last row of a batch, so the next batch begins at this time.
  const deletePage = defineStatement({
    name: `delete-old-${table}`,
    isPrepared: false,
    text: `
      with page as (
        select ctid, ${time} as at from ${table}
        where ${time} >= $1 and ${time} < now() - interval '${keptDays} days' order by ${time} limit ${batch} for update skip locked
      ), gone as (
        delete from ${table} where ctid = any(array(select ctid from page)) returning 1
      )
      select count(*)::int as deleted, (select max(at) from page) as last from gone`,
    columns: { deleted: column.integer(), last: column.timestamp().nullable() },
  })
  return (db) => {
    const deleteSome = deletionInOrder(batch, async (after: Date | null) => {
      const [row] = await db.runLong(deletePage, [after ?? new Date(0)])
      return row!
    })
    return async () => (await deleteSome()).more
  }
}
