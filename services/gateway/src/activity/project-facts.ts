import type { ActivityStatus, NotificationFact } from '@notify/contracts'
import { defineStatement, type Queries } from '@notify/database'

type NotShown = 'metadata' | 'credits' | 'category' | 'after_failure'

/** A change of one item of the trail: a notification, or a code under the id of its transaction. */
export type ActivityFact = Omit<NotificationFact, 'notification_id' | 'status' | NotShown> & {
  notification_id: NotificationFact['notification_id'] | `otp_${string}`
  status: ActivityStatus
}

/**
 * Facts are complete and have a growing revision: the newest wins, repetitions change nothing. Triggers count them.
 * Cursors have milliseconds, so creation times have the same precision.
 */
const project = defineStatement({
  name: 'project-activity',
  text: `
    insert into activity (id, tenant_id, application_id, revision, channel, status, event_key, recipient_masked,
      recipient_index, failure_reason, retryable, retry_count, created_at, updated_at, mode, locale, requested_locale, broadcast_id, digest_id)
    select notification_id, tenant_id, application_id, revision, channel, status, event_key, recipient_masked,
      recipient_index, failure_reason, retryable, retry_count, date_trunc('milliseconds', created_at), occurred_at, mode,
      locale, requested_locale, broadcast_id, digest_id
    from json_to_recordset($1::json) as t (notification_id text, tenant_id text, application_id text, revision int,
      channel text, status text, event_key text, recipient_masked text, recipient_index text, failure_reason text,
      retryable boolean, retry_count int, created_at timestamptz, occurred_at timestamptz, mode text,
      locale text, requested_locale text, broadcast_id text, digest_id text)
    on conflict (id) do update set
      revision = excluded.revision, status = excluded.status, failure_reason = excluded.failure_reason,
      retryable = excluded.retryable, retry_count = excluded.retry_count, updated_at = excluded.updated_at,
      locale = excluded.locale, digest_id = excluded.digest_id
      where activity.revision < excluded.revision`,
})

/** Writes facts, at most one per item. */
export async function projectFacts(db: Queries, facts: readonly ActivityFact[]): Promise<void> {
  await db.run(project, [JSON.stringify(facts)])
}
