import { column, defineStatement, type Queries } from '@notify/database'
import { askSql, silentSql, withAttempts } from '../../outcome/inquiries/inquiry-sql.ts'
import { lockOpenSql, scheduleBatch } from './open-sql.ts'

const closeOverdue = defineStatement({
  name: 'close-overdue-receipts',
  text: `
    with overdue as (
      ${lockOpenSql({
        where: `f.status = 'sent' and not f.settled and f.channel = any ($2) and f.since < now() - make_interval(secs => $1)`,
        orderBy: 'f.since',
        still: `n.status = 'sent' and not n.settled`,
        limit: scheduleBatch,
      })}
    ), closed as (
      update notifications n set receipt_overdue = true where n.id = any (array(select id from overdue)) returning n.id, n.traceparent
    ),
    -- After an outage no inquiry may have reached them.
    silent as (
      ${silentSql(`${withAttempts('closed')} where a.outcome in ('accepted', 'unknown')`)}
    ), asked as (${askSql('silent')})
    select count(*)::int as count from closed`,
  columns: { count: column.integer() },
})

/**
 * Settles messages that are `sent` and whose receipt is overdue, and requests it from callbacks a last time. They stay
 * `sent`.
 * @returns how many
 */
export async function closeOverdueReceipts(
  db: Queries,
  channels: readonly string[],
  deadlineMs: number,
): Promise<number> {
  const [row] = await db.runLong(closeOverdue, [deadlineMs / 1000, channels])
  return row!.count
}
