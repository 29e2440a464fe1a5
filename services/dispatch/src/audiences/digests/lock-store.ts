import type { Id } from '@notify/contracts'
import { column, defineStatement, type Run } from '@notify/database'
import { waits } from './due-store.ts'

const lock = defineStatement({
  name: 'lock-digests',
  text: `
    with mine as (
      select id from digests where id = any ($1) and not is_open order by id for update
    ), items as (
      select n.digest_id from notifications n where n.digest_id = any ($1) and ${waits('n')} order by n.id for update
    )
    select mine.id, count(items.digest_id)::int as total from mine left join items on items.digest_id = mine.id group by mine.id`,
  columns: { id: column.id('dig'), total: column.integer() },
})

/** Locks digests that nobody has closed since, and their items. @returns the number of items of each */
export async function lockDigests(run: Run, ids: readonly Id<'dig'>[]): Promise<Map<Id<'dig'>, number>> {
  return new Map((await run(lock, [ids])).map(({ id, total }) => [id, total]))
}
