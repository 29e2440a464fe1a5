import { webhookReported } from '@notify/contracts'
import { defineStatement, enqueueSql, type Run } from '@notify/database'
import type { DeliveryRow } from './delivery-store.ts'

const stop = defineStatement({
  name: 'stop-delivery',
  text: `
    with stopped as (
      update deliveries
      set status = 'exhausted', attempts = attempts - 1, next_attempt_at = null, finished_at = now(), last_error = $3
      where id = $1 and attempts = $2 and status = 'pending'
      returning *
    ), undone as (
      delete from attempts a using stopped where a.delivery_id = stopped.id and a.number = $2
    )
    ${enqueueSql(
      webhookReported,
      '(select * from stopped where not arrived) as final',
      `json_build_object('notification_id', notification_id, 'retry_count', retry_count, 'status', 'cancelled',
        'failure_reason', last_error, 'retryable', false)`,
    )}`,
})

/** Ends a delivery before anything was sent in its open attempt, of which nothing is left. May be repeated. */
export async function stopDelivery(
  run: Run,
  { id, attempts }: Pick<DeliveryRow, 'id' | 'attempts'>,
  reason: string,
): Promise<void> {
  await run(stop, [id, attempts, reason])
}
