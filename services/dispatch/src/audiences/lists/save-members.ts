import type { Id } from '@notify/contracts'
import { column, defineStatement, type Run } from '@notify/database'
import type { MemberRow } from './member-content.ts'

/** A member to save. */
export type NewMemberRow = Pick<MemberRow, 'id' | 'user_index' | 'content'>

/** The lock of the list orders imports, so its count is exact. Rows come sorted. */
const save = defineStatement({
  name: 'save-members',
  text: `
    with list as (
      select id, tenant_id, member_count from lists where id = $1 and deleted_at is null for update
    ), saved as (
      insert into list_members as known (id, tenant_id, list_id, user_index, content)
      select t.id, list.tenant_id, list.id, t.user_index, decode(t.content, 'base64')
      from json_to_recordset($2::json) as t (id text, user_index text, content text) cross join list
      on conflict (id) do update set content = excluded.content
      returning (xmax = 0) as added
    ), counted as (select count(*) filter (where added)::int as added from saved)
    update lists set member_count = lists.member_count + counted.added, updated_at = date_trunc('milliseconds', now())
    from list, counted where lists.id = list.id
    returning counted.added, lists.member_count`,
  columns: { added: column.integer(), member_count: column.integer() },
})

/** Adds members to a list, or replaces their data. @returns undefined if the list was deleted */
export async function saveMembers(run: Run, listId: Id<'list'>, members: readonly NewMemberRow[]) {
  const rows = members
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ content, ...row }) => ({ ...row, content: content.toString('base64') }))
  return (await run(save, [listId, JSON.stringify(rows)]))[0]
}
