import { column, defineStatement, type Queries } from '@notify/database'

const tallyBatch = 10_000

const foldTallies = defineStatement({
  name: 'fold-tallies',
  text: `
    with folded as (
      delete from tallies where id in (select id from tallies order by id limit ${tallyBatch} for update skip locked)
      returning accepted, settled, queued, waiting
    ), sum as (
      insert into tallies (accepted, settled, queued, waiting)
      select sum(accepted), sum(settled), sum(queued), sum(waiting) from folded having count(*) > 0
    )
    select count(*)::int as count from folded`,
  columns: { count: column.integer() },
})

/** Merges the rows of tallies into their sums, so that few rows must be read. @returns whether there may be more */
export async function sumUpTallies(db: Queries): Promise<boolean> {
  const [row] = await db.runLong(foldTallies)
  return row?.count === tallyBatch
}
