import type { HandOffReport } from '@notify/contracts'
import type { Run } from '@notify/database'
import type { DeliveryRow } from '../deliveries/delivery-store.ts'

type HandOffRow = Pick<DeliveryRow, 'notification_id' | 'retry_count' | 'status' | 'last_error'>

/** The deliveries of these hand-offs, whenever they were stored. */
export function findHandOffs(
  run: Run,
  wanted: readonly Pick<DeliveryRow, 'notification_id' | 'retry_count'>[],
): Promise<HandOffRow[]> {
  return run<HandOffRow>(
    `select d.notification_id, d.retry_count, d.status, d.last_error
     from json_to_recordset($1::json) as t (notification_id text, retry_count int)
     join deliveries d on d.notification_id = t.notification_id and d.retry_count = t.retry_count
       and d.subscription_id is null`,
    [JSON.stringify(wanted.map(({ notification_id, retry_count }) => ({ notification_id, retry_count })))],
  )
}

/** What is reported to dispatch about a delivery. */
export function reportOf({ notification_id, retry_count, status, last_error }: HandOffRow): HandOffReport {
  const states = { pending: 'sent', succeeded: 'delivered', exhausted: 'failed' } as const
  const failed = status === 'exhausted'
  return {
    notification_id: notification_id as `notif_${string}`,
    retry_count,
    status: states[status],
    failure_reason: failed ? last_error : null,
    retryable: failed,
  }
}
