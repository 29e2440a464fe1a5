import { column, defineStatement, type Person, pick, type Queries } from '@notify/database'
import { tables } from '../db/schema.ts'

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

const findAddresses = defineStatement({
  name: 'find-addresses-of-user',
  isPrepared: false,
  text: `select distinct n.recipient_masked from notifications n
        where hashtextextended(n.user_index, 0) = hashtextextended($2::text, 0) and n.user_index = $2 and n.tenant_id = $1
          and n.recipient_index <> $2 order by 1 limit 100`,
  columns: pick(tables.notifications, 'recipient_masked'),
})

/** The addresses, masked, to which messages were sent that named the user by id; also former ones. */
export async function addressesOf(db: Queries, { tenantId, index = '' }: Person): Promise<string[]> {
  return (await db.runLong(findAddresses, [tenantId, index])).map(({ recipient_masked }) => recipient_masked)
}
