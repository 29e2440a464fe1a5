import { type readReceipts as contract, ReceiptStatus, type RouteBody } from '@notify/contracts'
import { column, defineStatement, type Queries } from '@notify/database'
import type { Handler } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { suppressing } from './callback-store.ts'

/**
 * Receipts of an attempt: those that name it, and those that name only the carrier's id of its message. Only accounts of
 * the tenant count, and of these the one that it was sent through.
 */
const read = defineStatement({
  name: 'read-receipts',
  text: `
    with asked as (
      select * from json_to_recordset($2::json) as t (attempt_id text, provider_id text, provider_message_id text)
    )
    select asked.attempt_id, receipt.status, min(receipt.received_at) as received_at
    from asked cross join lateral (
      select provider_id, status, received_at from received_callbacks where attempt_id = asked.attempt_id
      union all
      select provider_id, status, received_at from received_callbacks
      where provider_message_id in (asked.provider_message_id, asked.provider_message_id || '${suppressing}') and provider_id = asked.provider_id and attempt_id is null
      offset 0
    ) as receipt
    join providers p on p.id = receipt.provider_id and p.tenant_id = $1
    where receipt.status = any($3::text[]) and (asked.provider_id is null or receipt.provider_id = asked.provider_id)
    group by asked.attempt_id, receipt.status
    order by received_at, receipt.status`,
  columns: { attempt_id: column.id('att'), status: column.text<ReceiptStatus>(), received_at: column.timestamp() },
})

type Asked = RouteBody<typeof contract>

/** The receipts of attempts, in the order of arrival. */
export function findReceipts(db: Queries, { tenant_id, attempts }: Asked) {
  return db.run(read, [tenant_id, JSON.stringify(attempts), ReceiptStatus.options])
}

/** The carriers' reports on attempts, in the order of arrival. */
export const readReceipts: Handler<Context, typeof contract> = async ({ db }, { body }) => {
  const rows = await findReceipts(db, body)
  return {
    receipts: rows.map(({ received_at, ...receipt }) => ({ ...receipt, received_at: received_at.toISOString() })),
  }
}
