import { earliestId, type IdPrefix } from '@notify/contracts'
import { column } from './columns.ts'
import { deletionInOrder } from './delete-in-order.ts'
import { endedBefore } from './ended-before.ts'
import type { Queries } from './open.ts'
import { defineStatement } from './statement.ts'

/** Rows of a table whose primary key is an id that begins with the time of the row. */
interface Expiring {
  table: string
  /** The column of the primary key. */
  id: string
  prefixes: readonly IdPrefix[]
}

const batch = 1000

/**
 * Declares the deletion of rows by the time in their ids, a batch at a time; see {@link deletionInOrder}. It needs no index of its own.
 * @returns creates, for a database, a function that deletes one batch of the rows of each prefix that are older than the given
 * milliseconds, and resolves to whether there may be more
 * @example const createDeletion = deletionById({ table: 'parcels', id: 'id', prefixes: ['parcel'] })
 */
export function deletionById({ table, id, prefixes }: Expiring) {
  // An array is never joined by reading the table.
  const deletePage = defineStatement({
    name: `delete-old-${table}`,
    isPrepared: false,
    text: `
      with page as (
        select ${id} as id from ${table} where ${id} > $1 and ${id} < $2 order by ${id} limit ${batch} for update skip locked
      ), gone as (
        delete from ${table} where ${id} = any(array(select id from page)) returning 1
      )
      select count(*)::int as deleted, (select id from page order by id desc limit 1) as last from gone`,
    columns: { deleted: column.integer(), last: column.text().nullable() },
  })
  return (db: Queries): ((olderThanMs: number) => Promise<boolean>) => {
    const deletions = prefixes.map((prefix) =>
      deletionInOrder(batch, async (after: string | null, beforeMs: number) => {
        const [row] = await db.runLong(deletePage, [after ?? earliestId(prefix, 0), earliestId(prefix, beforeMs)])
        return row!
      }),
    )
    return async (olderThanMs) => {
      const beforeMs = Math.max(0, (await endedBefore(db, olderThanMs)).getTime())
      let isMore = false
      for (const deleteSome of deletions) isMore = (await deleteSome(beforeMs)).more || isMore
      return isMore
    }
  }
}
