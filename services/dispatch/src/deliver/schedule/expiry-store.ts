import { column, defineStatement, type Queries } from '@notify/database'
import { fileBytesSql } from '../../channels/attachment-column.ts'
import { endOfExpired, expiredReason } from '../../outcome/facts/expiry-sql.ts'
import { factsInto } from '../../outcome/facts/fact-sql.ts'
import { askSql, silentSql, withAttempts } from '../../outcome/inquiries/inquiry-sql.ts'
import { fittingSql, lockDueSql, mostErasedBytes } from './open-sql.ts'

const waits = `n.status in ('queued', 'scheduled')`

/**
 * Skips messages being sent or waiting for a receipt: their attempt ends them, and neither is sent late. The trigger
 * `erase_payload` empties payloads, so no row is found twice. It also ends the retries of failed ones, which is a fact too.
 */
const endExpired = defineStatement({
  name: 'end-expired',
  text: `
    with expired as (
      ${fittingSql(
        lockDueSql('expires_at', {
          still: `n.payload is not null and not n.sending and (n.status not in ('queued', 'scheduled') or n.when_due = 'send')`,
          bytes: fileBytesSql('n'),
        }),
        '$1',
      )}
    ), ended as (
      update notifications n
      set status = case when ${waits} then ${endOfExpired('n')} else n.status end,
          failure_reason = case when ${waits} then '${expiredReason}' else n.failure_reason end,
          revision = n.revision + (${waits} or n.retryable)::int, updated_at = case when ${waits} then now() else n.updated_at end,
          next_attempt_at = null, failovers = 0, held_since = null
      where n.id = any (array(select id from expired))
      returning n.*, old.status as old_status, old.retryable as old_retryable
    ), silent as (
      ${silentSql(`${withAttempts('ended')}
      where ended.status <> old_status and ended.attempt_count > 0 and a.outcome = 'unknown'`)}
    ), asked as (${askSql('silent')}), facts as (${factsInto('ended where status <> old_status or old_retryable')})
    select count(*)::int as count, count(*) filter (where status <> old_status)::int as late from ended`,
  columns: { count: column.integer(), late: column.integer() },
})

/**
 * Ends messages that expired while they waited, and erases the payload of those that expired after they were sent.
 * @returns how many rows there were, and how many of them ended
 */
export async function endExpiredNotifications(db: Queries, mostFileBytes = mostErasedBytes) {
  const [row] = await db.run(endExpired, [mostFileBytes])
  return row!
}
