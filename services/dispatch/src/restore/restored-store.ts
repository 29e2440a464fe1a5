import type { Queries, Restored, Statement } from '@notify/database'
import { factsInto } from '../notifications/fact-sql.ts'

const batch = 500

/** The failure of what a backup brought back; an operator can retry it. */
const restoredReason = 'restored: may have been sent after the backup'

/** Whatever is not due until then cannot have been sent; what was released since was enqueued later. */
const where = `n.enqueued_at <= $1::timestamptz and (n.next_attempt_at is null or n.next_attempt_at <= $1::timestamptz)
  and ($2::timestamptz is null or n.created_at < $2::timestamptz)
  and ($3::text is null or n.tenant_id = $3) and ($4::text is null or n.lane = $4) and ($5::text is null or n.channel = $5)`

const valuesOf = ({ sent_until, created_before, tenant, lane, channel }: Restored) => [
  sent_until,
  created_before,
  tenant,
  lane,
  channel,
]

const waiting = `select n.* from in_flight f join notifications n using (id) where ${where}`
const queued = `${waiting} and f.status = 'queued' and n.status = 'queued'`
const scheduled = `${waiting} and f.next_attempt_at is not null and f.status = 'scheduled' and n.status = 'scheduled'`

/** Counts what waits and may have been sent already, by lane, channel and tenant. */
export function countRestored(db: Queries, restored: Restored): Promise<object[]> {
  return db.runLong(
    `select lane, channel, tenant_id, status, count(*)::int as count, min(created_at) as oldest, max(created_at) as newest
     from (${queued} union all ${scheduled}) as waiting group by 1, 2, 3, 4 order by 1, 2, 3, 4`,
    valuesOf(restored),
  )
}

/** Notifications are locked before their attempts, as in every statement. */
const settle: Statement = {
  name: 'settle-restored',
  text: `
    with waiting as (
      select id from (
        (${queued} order by f.lane, f.channel, f.enqueued_at limit ${batch})
        union all (${scheduled} order by f.next_attempt_at limit ${batch})
      ) as waiting order by id limit ${batch}
    ), locked as (
      select id from notifications where id = any(array(select id from waiting)) and status in ('queued', 'scheduled')
      order by id for update
    ), settled as (
      update notifications set status = 'failed', failure_reason = '${restoredReason}', retryable = true,
        revision = revision + 1, sending = false, next_attempt_at = null, when_due = 'send', failovers = 0,
        held_since = null, updated_at = now()
      where id = any(array(select id from locked)) returning *
    ), closed as (
      update attempts set finished_at = now(), outcome = 'unknown', ambiguous = true
      where notification_id = any(array(select id from settled)) and finished_at is null
    ), facts as (${factsInto('settled')})
    select count(*)::int as count from settled`,
}

/** Ends a batch as failed. @returns how many there were */
export async function settleRestored(db: Queries, restored: Restored): Promise<number> {
  const [row] = await db.runLong<{ count: number }>(settle, valuesOf(restored))
  return row!.count
}

/** Work of the outbox was perhaps published after the backup. What is still queued is published again from its notification. */
const ofWork = `starts_with_any as (select unnest($2::text[]) as prefix)`

export async function countWork(db: Queries, { sent_until }: Restored, prefixes: readonly string[]): Promise<object[]> {
  const rows = await db.runLong<{ count: number }>(
    `with ${ofWork} select count(*)::int as count from outbox
     where created_at <= $1::timestamptz and exists (select from starts_with_any where starts_with(subject, prefix))`,
    [sent_until, prefixes],
  )
  return rows.filter(({ count }) => count > 0)
}

/** Deletes a batch of the work. @returns how many there were */
export async function deleteWork(db: Queries, { sent_until }: Restored, prefixes: readonly string[]): Promise<number> {
  const rows = await db.runLong(
    `with ${ofWork}, page as (
       select id from outbox
       where created_at <= $1::timestamptz and exists (select from starts_with_any where starts_with(subject, prefix))
       order by id limit 5000
     )
     delete from outbox where id = any(array(select id from page)) returning 1`,
    [sent_until, prefixes],
  )
  return rows.length
}
