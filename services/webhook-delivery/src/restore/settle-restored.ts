import { webhookReported } from '@notify/contracts'
import { column, defineStatement, enqueueSql, type Queries, type Restored } from '@notify/database'

const batch = 500

const restoredReason = 'restored: may have been delivered after the backup'

/** An attempt that was open in the backup may have reached its receiver, whenever its lease ends. */
export const waiting = `select d.* from deliveries d
  where d.next_attempt_at is not null and d.status = 'pending'
    and (d.next_attempt_at <= $1::timestamptz or exists (
      select from attempts a
      where a.delivery_id = d.id and a.number = d.attempts and a.finished_at is null and a.started_at <= $1::timestamptz))
    and ($2::timestamptz is null or d.created_at < $2::timestamptz) and ($3::text is null or d.tenant_id = $3)`

export const valuesOf = ({ sent_until, created_before, tenant }: Restored) => [sent_until, created_before, tenant]

const reported = `json_build_object('notification_id', notification_id, 'retry_count', retry_count, 'status', 'failed',
  'failure_reason', last_error, 'retryable', true)`

const settle = defineStatement({
  name: 'settle-restored',
  text: `
    with waiting as (${waiting} order by d.endpoint_id, d.next_attempt_at limit ${batch}),
    locked as (
      select id from deliveries where id = any(array(select id from waiting)) and status = 'pending' order by id for update
    ), settled as (
      update deliveries set status = 'exhausted', next_attempt_at = null, finished_at = now(), last_error = '${restoredReason}'
      where id = any(array(select id from locked)) returning *
    ), closed as (
      update attempts set finished_at = now(), error = '${restoredReason}'
      where delivery_id = any(array(select id from settled)) and finished_at is null
    ), reports as (${enqueueSql(webhookReported, '(select * from settled where subscription_id is null and not arrived) as final', reported)})
    select count(*)::int as count from settled`,
  columns: { count: column.integer() },
})

/** Exhausts a batch, and reports those that dispatch handed over. @returns how many there were */
export async function settleRestored(db: Queries, restored: Restored): Promise<number> {
  const [row] = await db.runLong(settle, valuesOf(restored))
  return row!.count
}
