import { column, defineStatement, type IndexedTable, type Run } from '@notify/database'
import { memberColumn } from '../audiences/lists/member-content.ts'
import { recipientColumn } from '../catalogue/recipients/recipient-content.ts'

const ofNotification = (id: string) => `(select n.tenant_id from notifications n where n.id = ${id})`

/** Every table with blind indexes; `reindex` renews them. */
export const indexedTables: readonly IndexedTable[] = [
  { table: 'suppressions', indexes: ['recipient_index'] },
  { table: 'recipients', indexes: ['id', 'user_index', 'email_index', 'phone_index'], sealed: recipientColumn },
  { table: 'list_members', indexes: ['id', 'user_index'], sealed: memberColumn },
  { table: 'broadcasts', indexes: ['reached'] },
  { table: 'preferences', indexes: ['recipient_index'] },
  { table: 'preference_changes', indexes: ['recipient_index'] },
  { table: 'copies', indexes: ['recipient_index'], tenant: ofNotification('copies.notification_id') },
  { table: 'hand_off_tails', indexes: ['recipient_index'], tenant: ofNotification('hand_off_tails.last_id') },
  { table: 'notifications', indexes: ['recipient_index', 'user_index'] },
]

const countOpen = defineStatement({
  name: 'count-open-broadcasts',
  isPrepared: false,
  text: `select count(*)::int as open from broadcasts where status in ('running', 'paused')`,
  columns: { open: column.integer() },
})

/** The order of the members of lists changes with their indexes. @throws Error while broadcasts are open */
export async function requireNoBroadcasts(run: Run): Promise<void> {
  const [row] = await run(countOpen)
  if (row!.open > 0) throw new Error(`${row!.open} broadcasts are open: let them end, or cancel them`)
}
