import { column } from '../columns.ts'
import { deletionInOrder } from '../delete-in-order.ts'
import type { Queries } from '../open.ts'
import { defineStatement } from '../statement.ts'

const keptDays = 7
const batch = 1000
const beginning = '00000000-0000-0000-0000-000000000000'

/** Ids ascend with time, so the primary key finds the oldest; the sum prevents the use of another index. */
const deletePage = defineStatement({
  name: 'delete-published',
  isPrepared: false,
  text: `with page as (
    select id from outbox
    where id > $1 and id < (select uuidv7(interval '-${keptDays} days')) and published_at + interval '${keptDays} days' < now()
    order by id limit ${batch} for update skip locked
  ), gone as (
    delete from outbox where id = any(array(select id from page)) returning 1
  )
  select count(*)::int as deleted, (select id from page order by id desc limit 1) as last from gone`,
  columns: { deleted: column.integer(), last: column.uuid().nullable() },
})

/** @returns a function that deletes one batch of the messages published seven days ago and resolves to true when more are left */
export function createOutboxRetention(db: Queries): () => Promise<boolean> {
  const deleteSome = deletionInOrder(batch, async (after: string | null) => {
    const [row] = await db.runLong(deletePage, [after ?? beginning])
    return row!
  })
  return async () => (await deleteSome()).more
}
