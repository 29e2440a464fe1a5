import type { ActivityStatus, NotificationFact } from '@notify/contracts'
import { defineStatement, isDeadlock, type Queries } from '@notify/database'
import { countedInUsage, growth } from '../usage/usage-sql.ts'

type NotShown = 'metadata' | 'credits' | 'category' | 'segments' | 'country_prefix' | 'after_failure'

/** A change of one item of the trail: a notification, or a code under the id of its transaction. */
export type ActivityFact = Omit<NotificationFact, 'notification_id' | 'status' | NotShown> & {
  notification_id: NotificationFact['notification_id'] | `otp_${string}`
  status: ActivityStatus
  /** What it costs in this state; null or absent: as much as before. */
  credits?: number | null
  /** What its usage is grouped by, where it costs anything. */
  category?: string
  country_prefix?: string
  segments?: number
}

/**
 * Facts are complete and have a growing revision: the newest wins, repetitions change nothing. Triggers count them, and usage grows
 * by the difference in credits. Cursors have milliseconds, so creation times have the same precision.
 */
const project = defineStatement({
  name: 'project-activity',
  text: `
    with input as (
      select *, (created_at at time zone 'UTC')::date as day
      from json_to_recordset($1::json) as t (id text, tenant_id text, application_id text, revision int, channel text,
        status text, event_key text, recipient_masked text, recipient_index text, failure_reason text, retryable boolean,
        retry_count int, created_at timestamptz, occurred_at timestamptz, mode text, locale text, requested_locale text,
        broadcast_id text, digest_id text, credits int, category text, country_prefix text, segments int)
    ), changed as (
      insert into activity (id, tenant_id, application_id, revision, channel, status, event_key, recipient_masked,
        recipient_index, failure_reason, retryable, retry_count, created_at, updated_at, mode, locale, requested_locale,
        broadcast_id, digest_id, credits)
      select id, tenant_id, application_id, revision, channel, status, event_key, recipient_masked,
        recipient_index, failure_reason, retryable, retry_count, date_trunc('milliseconds', created_at), occurred_at, mode,
        locale, requested_locale, broadcast_id, digest_id, credits
      from input
      on conflict (id) do update set
        revision = excluded.revision, status = excluded.status, failure_reason = excluded.failure_reason,
        retryable = excluded.retryable, retry_count = excluded.retry_count, updated_at = excluded.updated_at,
        locale = excluded.locale, digest_id = excluded.digest_id, credits = coalesce(excluded.credits, activity.credits)
        where activity.revision < excluded.revision
      returning new.id, ${growth}
    ), ${countedInUsage}`,
})

const mostRepetitions = 5

/** Writes facts, at most one per item. */
export async function projectFacts(db: Queries, facts: readonly ActivityFact[]): Promise<void> {
  const items = JSON.stringify(facts.map(({ notification_id: id, ...fact }) => ({ id, ...fact })))
  for (let left = mostRepetitions; ; left--) {
    try {
      await db.run(project, [items])
      return
    } catch (error) {
      // Inserted and updated items are counted one after the other, so two batches may lock counters in opposite orders.
      if (left === 0 || !isDeadlock(error)) throw error
    }
  }
}
