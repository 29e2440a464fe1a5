import { claimDueSql, defineStatement, dueInColumns, dueInSql, type Queries } from '@notify/database'
import { earlierSql, type Message, messageColumns } from './message-store.ts'

/** Messages that a process has in hand. */
const most = 100
const leaseMs = 10_000

/** After an absence of dispatch no tenant's codes wait behind thousands of another. */
const fair = { by: 'tenant_id', most: 25, inHand: '$2::text[]' }
const due = { table: 'messages', key: ['notification_id'], due: 'due_at', where: 'expires_at > now()', fair }

const look = defineStatement({ name: 'look-due-messages', text: dueInSql(due), columns: dueInColumns })

const claim = defineStatement({
  name: 'claim-messages',
  text: `${claimDueSql(due, { limit: '$1', leaseMs })}
    select m.notification_id, m.transaction_id, m.tenant_id, t.application_id, m.mode, m.request, m.refusal, m.expires_at,
      (extract(epoch from m.expires_at - clock_timestamp()) * 1000)::float8 as expires_in_ms, t.is_custom, t.traceparent,
      ${earlierSql} as earlier
    from claimed m join transactions t on t.id = m.transaction_id`,
  columns: messageColumns,
})

/** Claims messages that their requests have not handed to dispatch in time, beside those in hand. */
export async function claimMessages(
  db: Queries,
  inHand: readonly Pick<Message, 'tenant_id'>[] = [],
): Promise<Message[]> {
  if (inHand.length >= most) return []
  return db.run(claim, [most - inHand.length, inHand.map(({ tenant_id }) => tenant_id)])
}

/** Milliseconds until a message is due. */
export async function messagesDueInMs(db: Queries): Promise<number> {
  const [row] = await db.run(look)
  return row!.due_in_ms
}
