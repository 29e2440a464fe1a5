import { column, defineStatement, type Person, type Queries } from '@notify/database'

/** SQL: the users that a person is: by user id, or by an address that is saved of them. */
export const theirUsers = `
  select $2::text as user_index union
  select user_index from recipients where tenant_id = $1 and (email_index = $2 or phone_index = $2)`

const count = defineStatement({
  name: 'count-members-of-person',
  text: `select count(*)::int as count from list_members where tenant_id = $1 and user_index in (${theirUsers})`,
  columns: { count: column.integer() },
})

export async function countMembers(db: Queries, { tenantId, index = '' }: Person): Promise<number> {
  return (await db.runLong(count, [tenantId, index]))[0]!.count
}
