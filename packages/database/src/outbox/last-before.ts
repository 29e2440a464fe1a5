import { pick } from '../columns.ts'
import type { Run } from '../open.ts'
import { sharedTables } from '../shared-tables.ts'
import { defineStatement } from '../statement.ts'

const find = defineStatement({
  name: 'last-before',
  isPrepared: false,
  // `offset 0` prevents a scan of the outbox in the order of ids.
  text: `
    with candidate as (
      (select id from (select id from outbox where published_at > $1 offset 0) as late order by id limit 1)
      union all
      (select id from outbox where published_at is null order by id limit 1))
    select outbox.id from outbox where id < (select id from candidate order by id limit 1) order by id desc limit 1`,
  columns: pick(sharedTables.outbox, 'id'),
})

/** The last row before those published after a time or being published now. */
export async function lastBefore(run: Run, moment: Date): Promise<string | null> {
  const [found] = await run(find, [moment])
  return found?.id ?? null
}
