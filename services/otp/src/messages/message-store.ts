import type { Id } from '@notify/contracts'
import { cast, column, pick, prepared, type RowOf, type Run } from '@notify/database'
import { sql } from 'kysely'
import { build, tables } from '../db/schema.ts'

/** AAD of an encrypted request. */
export const requestAad = (tenantId: string, notificationId: string) => `messages|${tenantId}|${notificationId}`

const { messages, transactions } = tables

/** What is handed to dispatch. */
export const messageColumns = {
  ...pick(messages, 'notification_id', 'transaction_id', 'tenant_id', 'mode', 'request', 'refusal', 'expires_at'),
  ...pick(transactions, 'application_id', 'is_custom', 'traceparent'),
  expires_in_ms: column.double(),
  /** The messages of the codes before it. */
  earlier: column.texts<Id<'notif'>>(),
}

/** A message as it is handed to dispatch; its request is null once dispatch has answered. */
export type Message = RowOf<typeof messageColumns>

const expiresInMs = cast(messageColumns.expires_in_ms, sql`extract(epoch from m.expires_at - clock_timestamp()) * 1000`)

/** The most that dispatch takes with one message. */
const mostEarlier = 10

/** SQL for `earlier` of a message `m` of a transaction `t`, without refused ones; nearly every message is the first. */
export const earlierSql = `case when t.resends = 0 then '{}' else array(select e.notification_id from messages e
  where e.transaction_id = m.transaction_id and e.created_at < m.created_at and e.refusal is null
  order by e.created_at desc limit ${mostEarlier}) end`

const find = prepared('find-message', ({ id }: { id: Id<'notif'> }) =>
  build
    .selectFrom('messages as m')
    .innerJoin('transactions as t', 't.id', 'm.transaction_id')
    .select(['m.notification_id', 'm.transaction_id', 'm.tenant_id', 't.application_id', 'm.mode', 'm.request'])
    .select(['m.refusal', 'm.expires_at', expiresInMs.as('expires_in_ms'), 't.is_custom', 't.traceparent'])
    .select(cast(messageColumns.earlier, sql.raw(earlierSql)).as('earlier'))
    .where('m.notification_id', '=', id),
)

export async function findMessage(run: Run, id: Id<'notif'>): Promise<Message | undefined> {
  const [message] = await run(find({ id }))
  return message
}
