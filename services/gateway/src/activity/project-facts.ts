import type { ActivityStatus, NotificationFact } from '@notify/contracts'
import { defineStatement, type Queries } from '@notify/database'

/** A change of one item of the trail: a notification, or a code under the id of its transaction. */
export type ActivityFact = Omit<NotificationFact, 'notification_id' | 'status'> & {
  notification_id: NotificationFact['notification_id'] | `otp_${string}`
  status: ActivityStatus
}

/** SQL that adds moves to the counts of release 0.1; sorted, so that two statements never deadlock. */
export const countsInto = (moves: string) => `
    insert into activity_counts as counts (tenant_id, application_id, channel, status, count)
    select tenant_id, application_id, channel, status, sum(change) from ${moves}
    group by 1, 2, 3, 4 having sum(change) <> 0 order by 1, 2, 3, 4
    on conflict (tenant_id, application_id, channel, status) do update set count = counts.count + excluded.count`

/**
 * Facts are complete and have a growing revision: the newest wins, repetitions change nothing. Triggers count them;
 * `activity_counts` is for replicas of release 0.1. Cursors have milliseconds, so creation times have no more.
 */
const project = defineStatement({
  name: 'project-activity',
  text: `
    with changed as (
      insert into activity (id, tenant_id, application_id, revision, channel, status, event_key, recipient_masked,
        recipient_index, failure_reason, retryable, retry_count, created_at, updated_at, mode, counted)
      select notification_id, tenant_id, application_id, revision, channel, status, event_key, recipient_masked,
        recipient_index, failure_reason, retryable, retry_count, date_trunc('milliseconds', created_at), occurred_at, mode, true
      from json_to_recordset($1::json) as t (notification_id text, tenant_id text, application_id text, revision int,
        channel text, status text, event_key text, recipient_masked text, recipient_index text, failure_reason text,
        retryable boolean, retry_count int, created_at timestamptz, occurred_at timestamptz, mode text)
      on conflict (id) do update set
        revision = excluded.revision, status = excluded.status, failure_reason = excluded.failure_reason,
        retryable = excluded.retryable, retry_count = excluded.retry_count, updated_at = excluded.updated_at, counted = true
        where activity.revision < excluded.revision
      returning new.tenant_id, new.application_id, new.channel, old.status as old_status, new.status as new_status
    ), moves as (
      select tenant_id, application_id, channel, new_status as status, 1 as change from changed
      union all
      select tenant_id, application_id, channel, old_status, -1 from changed where old_status is not null
    )
    ${countsInto('moves')}`,
})

/** Writes facts, at most one per item, and updates the counts. */
export async function projectFacts(db: Queries, facts: readonly ActivityFact[]): Promise<void> {
  await db.run(project, [JSON.stringify(facts)])
}
