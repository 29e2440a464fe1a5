import { column, defineStatement, type Person, type Queries } from '@notify/database'

/** Runs before the users are erased, by whose addresses it finds them. */
const erase = defineStatement({
  name: 'erase-members-of-person',
  text: `
    with gone as (
      delete from list_members where tenant_id = $1 and user_index in (
        select $2::text union
        select user_index from recipients where tenant_id = $1 and (email_index = $2 or phone_index = $2))
      returning list_id
    ), counted as (
      select list_id, count(*)::int as count from gone group by list_id order by list_id
    ), lists as (
      update lists l set member_count = l.member_count - counted.count from counted where l.id = counted.list_id returning l.id
    )
    select count(*)::int as count from gone`,
  columns: { count: column.integer() },
})

/** @returns how many lists the person was a member of */
export async function eraseMembers(db: Queries, { tenantId, index = '' }: Person): Promise<number> {
  return (await db.runLong(erase, [tenantId, index]))[0]!.count
}
