import { type HandOffReport, optedOutReason } from '@notify/contracts'
import { defineStatement, pick, type RowOf, type Run } from '@notify/database'
import { tables } from '../db/schema.ts'
import type { DeliveryRow } from '../deliveries/delivery-store.ts'

const columns = {
  notification_id: tables.deliveries.notification_id.present(),
  ...pick(tables.deliveries, 'retry_count', 'status', 'last_error', 'arrived'),
}

type HandOffRow = RowOf<typeof columns>

const find = defineStatement({
  name: 'find-hand-offs',
  text: `
    select d.notification_id, d.retry_count, d.status, d.last_error, d.arrived
    from json_to_recordset($1::json) as t (notification_id text, retry_count int)
    cross join lateral (
      select * from deliveries where notification_id = t.notification_id and retry_count = t.retry_count
        and subscription_id is null limit 1) as d`,
  columns,
})

/** The deliveries of these hand-offs, whenever they were stored. */
export function findHandOffs(
  run: Run,
  wanted: readonly Pick<DeliveryRow, 'notification_id' | 'retry_count'>[],
): Promise<HandOffRow[]> {
  const named = wanted.map(({ notification_id, retry_count }) => ({ notification_id, retry_count }))
  return run(find, [JSON.stringify(named)])
}

/** What is reported to dispatch about a delivery. */
export function reportOf({ notification_id, retry_count, last_error, ...row }: HandOffRow): HandOffReport {
  const states = { pending: 'sent', succeeded: 'delivered', exhausted: 'failed' } as const
  const status = row.arrived ? 'succeeded' : row.status
  const isOptedOut = status === 'exhausted' && last_error === optedOutReason
  const failed = status === 'exhausted'
  return {
    notification_id,
    retry_count,
    status: isOptedOut ? 'cancelled' : states[status],
    failure_reason: failed ? last_error : null,
    retryable: failed && !isOptedOut,
  }
}
