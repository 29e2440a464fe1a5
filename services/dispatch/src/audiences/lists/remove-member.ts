import type { Id } from '@notify/contracts'
import { column, defineStatement, type Run } from '@notify/database'

const remove = defineStatement({
  name: 'remove-member',
  text: `
    with list as (select id from lists where id = $1 for update),
    removed as (delete from list_members where id = $2 and list_id = (select id from list) returning id)
    update lists set member_count = member_count - 1, updated_at = date_trunc('milliseconds', now())
    where id = $1 and exists (select from removed)
    returning member_count`,
  columns: { member_count: column.integer() },
})

/** @returns whether there was one */
export async function removeMember(run: Run, listId: Id<'list'>, id: string): Promise<boolean> {
  return (await run(remove, [listId, id])).length > 0
}
