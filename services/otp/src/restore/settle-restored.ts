import { column, defineStatement, type Queries, type Restored } from '@notify/database'
import { factsInto } from '../transactions/fact-sql.ts'

const batch = 500

/** The failure of a restored code. Its recipient must request another one. */
const restoredReason = 'restored: may have been sent after the backup'

/** Restored messages that wait to be handed to dispatch, without those written after the restoration. */
export const waiting = `m.due_at is not null and m.created_at <= $1::timestamptz
  and ($2::timestamptz is null or m.created_at < $2::timestamptz) and ($3::text is null or m.tenant_id = $3)`

export const valuesOf = ({ sent_until, created_before, tenant }: Restored) => [sent_until, created_before, tenant]

/** Marks messages as refused, so that a repetition of the request starts again with another code. */
const settle = defineStatement({
  name: 'settle-restored',
  text: `
    with settled as (
      update messages set request = null, due_at = null, refusal = 'service_unavailable'
      where notification_id = any(array(
        select notification_id from messages m where ${waiting} order by notification_id limit ${batch} for update))
      returning notification_id, transaction_id
    ), changed as (
      update transactions t
      set status = 'failed', failure_reason = '${restoredReason}', code_proof = null, recipient = null,
        revision = t.revision + 1, updated_at = clock_timestamp()
      from settled where t.id = settled.transaction_id and t.notification_id = settled.notification_id
        and t.status in ('pending', 'sent')
      returning t.*
    ), facts as (${factsInto('changed')})
    select count(*)::int as count from settled`,
  columns: { count: column.integer() },
})

/** Ends a batch. @returns how many there were */
export async function settleRestored(db: Queries, restored: Restored): Promise<number> {
  const [row] = await db.runLong(settle, valuesOf(restored))
  return row!.count
}
