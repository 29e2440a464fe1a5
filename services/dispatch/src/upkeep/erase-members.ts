import { column, defineStatement, type Person, type Queries } from '@notify/database'
import { theirUsers } from './members-of-person.ts'

/** Runs before the users are erased, by whose addresses it finds them. Locks lists before their members, as imports do. */
const erase = defineStatement({
  name: 'erase-members-of-person',
  text: `
    with theirs as (
      select id, list_id from list_members where tenant_id = $1 and user_index in (${theirUsers})
    ), list as (
      select id from lists where id in (select list_id from theirs) order by id for update
    ), gone as (
      delete from list_members m using theirs left join list on list.id = theirs.list_id where m.id = theirs.id
      returning list.id as list_id
    ), counted as (
      update lists l set member_count = l.member_count - sums.count
      from (select list_id, count(*)::int as count from gone group by list_id) sums where l.id = sums.list_id
    )
    select count(*)::int as count from gone`,
  columns: { count: column.integer() },
})

/** @returns how many lists the person was a member of */
export async function eraseMembers(db: Queries, { tenantId, index = '' }: Person): Promise<number> {
  return (await db.runLong(erase, [tenantId, index]))[0]!.count
}
