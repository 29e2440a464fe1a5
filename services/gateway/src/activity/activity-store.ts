import type { ActivityItem, ActivityStatus, NotificationFact } from '@notify/contracts'
import type { Database, Statement } from '@notify/database'
import type { Tables } from '../db/schema.ts'

/** What the trail is told of one item: a notification, or a code under the id of its transaction. */
export type ActivityFact = Omit<NotificationFact, 'notification_id' | 'status'> & {
  notification_id: NotificationFact['notification_id'] | `otp_${string}`
  status: ActivityStatus
}

/** Facts are complete and have a growing revision: the newest wins, repetitions change nothing. */
const project: Statement = {
  name: 'project-activity',
  text: `
    with changed as (
      insert into activity (id, tenant_id, application_id, revision, channel, status, event_key, recipient_masked,
        recipient_index, failure_reason, retryable, retry_count, created_at, updated_at, mode)
      select * from json_to_recordset($1::json) as t (notification_id text, tenant_id text, application_id text, revision int,
        channel text, status text, event_key text, recipient_masked text, recipient_index text, failure_reason text,
        retryable boolean, retry_count int, created_at timestamptz, occurred_at timestamptz, mode text)
      on conflict (id) do update set
        revision = excluded.revision, status = excluded.status, failure_reason = excluded.failure_reason,
        retryable = excluded.retryable, retry_count = excluded.retry_count, updated_at = excluded.updated_at
        where activity.revision < excluded.revision
      returning new.tenant_id, new.application_id, new.channel, old.status as old_status, new.status as new_status
    ), moves as (
      select tenant_id, application_id, channel, new_status as status, 1 as change from changed
      union all
      select tenant_id, application_id, channel, old_status, -1 from changed where old_status is not null
    ), sums as (
      select tenant_id, application_id, channel, status, sum(change) as change from moves
      group by tenant_id, application_id, channel, status having sum(change) <> 0
      order by tenant_id, application_id, channel, status
    )
    insert into activity_counts as counts (tenant_id, application_id, channel, status, count)
    select * from sums
    on conflict (tenant_id, application_id, channel, status) do update set count = counts.count + excluded.count`,
}

/** Writes facts, at most one per item, and updates the counts. */
export async function projectFacts(db: Database<Tables>, facts: readonly ActivityFact[]): Promise<void> {
  await db.run(project, [JSON.stringify(facts)])
}

/** The revisions in a range of the activity, by id. */
export function listRevisions(
  db: Database<Tables>,
  { after, until, limit }: { after: string; until: string; limit: number },
): Promise<{ id: string; revision: number }[]> {
  return db.run(
    {
      name: 'list-revisions',
      text: 'select id, revision from activity where id > $1 and id <= $2 order by id limit $3',
    },
    [after, until, limit],
  )
}

/** Whether the trail of a tenant has the item. */
export async function hasItem(db: Database<Tables>, tenantId: string, id: string): Promise<boolean> {
  const text = 'select from activity where id = $1 and tenant_id = $2'
  return (await db.run({ name: 'has-activity-item', text }, [id, tenantId])).length > 0
}

export interface ActivityFilter {
  tenantId: string
  channel: string | null
  status: string | null
}

/** Reads the counters, whose number does not grow with notifications. */
export async function countActivity(
  db: Database<Tables>,
  { tenantId, channel, status }: ActivityFilter,
): Promise<number> {
  const [row] = await db.run<{ total: number }>(
    {
      name: 'count-activity',
      text: `select coalesce(sum(count), 0)::float8 as total from activity_counts
             where tenant_id = $1 and ($2::text is null or channel = $2) and ($3::text is null or status = $3)`,
    },
    [tenantId, channel, status],
  )
  return row?.total ?? 0
}

export interface ActivityRow extends Omit<ActivityItem, 'created_at'> {
  created_at: Date
}

/** The position after which a page starts. */
export interface Position {
  createdAt: string
  id: string
}

/** A page of the activity, newest first. Each combination of filters has its own statement and plan. */
export function listActivityRows(
  db: Database<Tables>,
  { tenantId, channel, status }: ActivityFilter,
  { after, offset, limit }: { after: Position | undefined; offset: number; limit: number },
): Promise<ActivityRow[]> {
  const values: unknown[] = [tenantId, limit, offset]
  const bind = (value: unknown) => `$${values.push(value)}`
  const conditions = ['a.tenant_id = $1']
  if (channel) conditions.push(`a.channel = ${bind(channel)}`)
  if (status) conditions.push(`a.status = ${bind(status)}`)
  if (after) conditions.push(`(a.created_at, a.id) < (${bind(after.createdAt)}::timestamptz, ${bind(after.id)})`)
  return db.run<ActivityRow>(
    `select a.id as transaction_id, p.name as application_name, a.channel, a.recipient_masked, a.status, a.failure_reason,
       a.created_at, a.retryable, a.retry_count, a.mode
     from activity a join applications p on p.id = a.application_id
     where ${conditions.join(' and ')}
     order by a.created_at desc, a.id desc limit $2 offset $3`,
    values,
  )
}
