import type { RetryJob } from '@notify/contracts'
import type { RetryJobRow } from './retry-job.ts'

/** A job as its routes show it. */
export function describeRetry(row: RetryJobRow): RetryJob {
  const { recipient_index: _, ...filters } = row.filters
  return {
    retry_id: row.id as `retry_${string}`,
    status: statusOf(row),
    filters,
    count: row.count,
    count_capped: row.count_capped,
    processed: row.processed,
    retried: row.retried,
    skipped: row.skipped,
    requested_by: row.requested_by,
    created_at: row.created_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
  }
}

function statusOf({ cancelled, finished_at, behind }: RetryJobRow): RetryJob['status'] {
  if (cancelled) return 'cancelled'
  if (finished_at) return 'completed'
  return behind ? 'waiting' : 'running'
}
