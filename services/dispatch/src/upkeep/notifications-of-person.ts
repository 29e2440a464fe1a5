import { column, defineStatement, type Person, type Queries } from '@notify/database'

/** Theirs are the notifications to them, by address or by user id, and those that they receive a copy of. */
export const theirs = `select n.id from notifications n
        where hashtextextended(n.recipient_index, 0) = hashtextextended($2::text, 0) and n.recipient_index = $2 and n.tenant_id = $1
        union
        select n.id from notifications n
        where hashtextextended(n.user_index, 0) = hashtextextended($2::text, 0) and n.user_index = $2 and n.tenant_id = $1
        union
        select n.id from copies c join notifications n on n.id = c.notification_id
        where hashtextextended(c.recipient_index, 0) = hashtextextended($2::text, 0) and c.recipient_index = $2 and n.tenant_id = $1`

const countTheirs = defineStatement({
  name: 'count-notifications-of-person',
  text: `select count(*)::int as count from (${theirs}) as theirs`,
  columns: { count: column.integer() },
})

export async function countNotifications(db: Queries, { tenantId, index = '' }: Person): Promise<number> {
  const [row] = await db.runLong(countTheirs, [tenantId, index])
  return row!.count
}
