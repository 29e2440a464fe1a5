import type { Id } from '@notify/contracts'
import { column, defineStatement, type Queries } from '@notify/database'

interface Sought {
  after: string
  before: Id<'notif'>
  /** The most notifications of a page. */
  most: number
}

/** Ids begin with their time, so the primary key leads to the oldest. */
const find = defineStatement({
  name: 'find-page-of-retention',
  text: `
    select max(id) as last, count(*) = $3 as is_full
    from (select id from notifications where id > $1 and id < $2 order by id limit $3) as page`,
  columns: { last: column.id('notif').nullable(), is_full: column.boolean() },
})

/** @returns the last id of the page that the retention examines next, or null if none is left, and whether the page is full */
export async function findExaminedPage(db: Queries, { after, before, most }: Sought) {
  const [page] = await db.runLong(find, [after, before, most])
  return page!
}
