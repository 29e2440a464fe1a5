import type { Channel, HandOffReport } from '@notify/contracts'
import { column, defineStatement, type Queries } from '@notify/database'
import type { Latency } from '../../metrics.ts'
import { reportedFactsInto } from '../facts/fact-sql.ts'
import { latenciesSql } from '../facts/latency-sql.ts'
import { nextStatusSql } from '../receipts/next-status-sql.ts'

const nextStatus = nextStatusSql('report', 'report.retry_count = n.retry_count')

/** A report counts only for notifications of the channel whose service sent it. */
const apply = defineStatement({
  name: 'apply-hand-off-reports',
  text: `
    with input as (
      select * from json_to_recordset($1::json) as t (notification_id text, retry_count int, status text,
        failure_reason text, retryable boolean)
    ), report as (
      select input.* from notifications n join input on n.id = input.notification_id
      where n.channel = $2 order by n.id for update of n
    ), changed as (
      update notifications n
      set status = ${nextStatus}, revision = n.revision + 1, updated_at = now(),
          failure_reason = report.failure_reason, retryable = report.retryable
      from report where n.id = report.notification_id and ${nextStatus} is not null
      returning n.*, old.status as old_status, old.when_due as old_when_due
    ), facts as (${reportedFactsInto('changed')})
    select (${latenciesSql('changed')}) as latencies`,
  columns: { latencies: column.json<Latency[]>() },
})

/**
 * Applies reports on notifications handed over, at most one for each. @returns the latencies of the changed notifications
 */
export async function applyHandOffReports(
  db: Queries,
  channel: Channel,
  reports: readonly HandOffReport[],
): Promise<Latency[]> {
  const [row] = await db.run(apply, [JSON.stringify(reports), channel])
  return row!.latencies
}
