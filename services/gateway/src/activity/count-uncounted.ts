import { column, defineStatement, type Queries } from '@notify/database'

const uncountedBatch = 1000

const count = defineStatement({
  name: 'count-uncounted-activity',
  text: `
    with uncounted as (
      select id from activity where not counted order by id limit ${uncountedBatch} for update skip locked
    )
    update activity set counted = true from uncounted where activity.id = uncounted.id and not counted returning 1 as counted`,
  columns: { counted: column.integer() },
})

/** Has the triggers count what replicas of an earlier release have written. @returns whether there may be more */
export async function countUncounted(db: Queries): Promise<boolean> {
  return (await db.run(count)).length === uncountedBatch
}
