import type { Queries, Restored, Statement } from '@notify/database'
import { factsInto } from '../transactions/fact-sql.ts'

const batch = 500

/** The failure of a code that a backup brought back; its recipient asks for another. */
const restoredReason = 'restored: may have been sent after the backup'

/** What waits to be handed to dispatch; what was made since the restoration is left alone. */
const waiting = `m.due_at is not null and m.created_at <= $1::timestamptz
  and ($2::timestamptz is null or m.created_at < $2::timestamptz) and ($3::text is null or m.tenant_id = $3)`

const valuesOf = ({ sent_until, created_before, tenant }: Restored) => [sent_until, created_before, tenant]

/** Counts codes that wait and may have been sent already, by tenant. */
export function countRestored(db: Queries, restored: Restored): Promise<object[]> {
  return db.runLong(
    `select tenant_id, count(*)::int as count, min(created_at) as oldest, max(created_at) as newest
     from messages m where ${waiting} group by 1 order by 1`,
    valuesOf(restored),
  )
}

/** Refused, so that the repetition of a request starts again, with another code. */
const settle: Statement = {
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
}

/** Ends a batch. @returns how many there were */
export async function settleRestored(db: Queries, restored: Restored): Promise<number> {
  const [row] = await db.runLong<{ count: number }>(settle, valuesOf(restored))
  return row!.count
}
