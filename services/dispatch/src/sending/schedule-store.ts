import type { Database, Statement } from '@notify/database'
import type { Tables } from '../db/schema.ts'
import { factsInto, workInto } from '../notifications/fact-sql.ts'

const batch = 500

const takeDue: Statement = {
  name: 'take-due',
  text: `
    with due as (
      select id from notifications
      where next_attempt_at <= now()
      order by next_attempt_at limit ${batch} for update skip locked
    ), taken as (
      update notifications n
      set next_attempt_at = null, when_due = 'send', enqueued_at = now(), updated_at = now(),
          status = case when n.when_due = 'give_up' then 'failed' else n.status end,
          retryable = n.when_due = 'give_up',
          revision = n.revision + case when n.when_due = 'give_up' then 1 else 0 end
      from due where n.id = due.id and n.status = 'queued' and not n.sending
      returning n.*
    ), again as (select * from taken where status = 'queued'),
    given_up as (select * from taken where status = 'failed'),
    work as (${workInto('again')}), facts as (${factsInto('given_up')})
    select count(*)::int as count from taken`,
}

/** Puts back to work what has waited long enough, and gives up what nobody settled. @returns how many there were */
export async function takeDueNotifications(db: Database<Tables>): Promise<number> {
  const [row] = await db.run<{ count: number }>(takeDue, [])
  return row?.count ?? 0
}

export const takeDueBatch = batch

/** What a crashed worker left under way: nobody knows whether the carrier took it. */
const expireLeases: Statement = {
  name: 'expire-leases',
  text: `
    with expired as (
      select notification_id, number from attempts
      where finished_at is null and lease_until < now() order by lease_until limit ${batch} for update skip locked
    ), ended as (
      update attempts a set finished_at = now(), outcome = 'unknown', ambiguous = true,
        provider_message = 'The worker ended before it could record the answer'
      from expired where a.notification_id = expired.notification_id and a.number = expired.number
      returning a.notification_id, a.number
    ), freed as (
      update notifications n
      set sending = false, updated_at = now(),
          next_attempt_at = case when n.status = 'queued' then now() + make_interval(secs => $1) end,
          when_due = case when n.status = 'queued' and (n.lane = 'bulk' or n.round_attempts > $2) then 'give_up' else 'send' end,
          failure_reason = case when n.status = 'queued' and (n.lane = 'bulk' or n.round_attempts > $2) then $3 else n.failure_reason end
      from ended where n.id = ended.notification_id and n.attempt_count = ended.number
    )
    select count(*)::int as count from ended`,
}

/**
 * Ends attempts whose worker is gone as `unknown`.
 * @param retries further attempts that the schedule allows
 */
export async function expireAttemptLeases(
  db: Database<Tables>,
  graceMs: number,
  retries: number,
  reason: string,
): Promise<number> {
  const [row] = await db.run<{ count: number }>(expireLeases, [graceMs / 1000, retries, reason])
  return row?.count ?? 0
}

const requeueLost: Statement = {
  name: 'requeue-lost-work',
  text: `
    with lost as (
      select id from notifications
      where status = 'queued' and not sending and next_attempt_at is null and enqueued_at < $1::timestamptz
      order by enqueued_at limit ${batch} for update skip locked
    ), again as (
      update notifications n set enqueued_at = now() from lost where n.id = lost.id returning n.*
    ), work as (${workInto('again')})
    select count(*)::int as count from again`,
}

/** Publishes work anew that was enqueued before this moment and has not been taken up. @returns how many */
export async function requeueLostWork(db: Database<Tables>, enqueuedBefore: Date): Promise<number> {
  const [row] = await db.run<{ count: number }>(requeueLost, [enqueuedBefore])
  return row?.count ?? 0
}

const oldest: Statement = {
  name: 'in-flight',
  text: `select count(*)::int as queued, coalesce(extract(epoch from now() - min(enqueued_at)), 0)::float8 as oldest_seconds
         from notifications where status = 'queued'`,
}

/** How many notifications wait, and for how long the oldest has, in seconds. */
export async function measureQueue(db: Database<Tables>): Promise<{ queued: number; oldest_seconds: number }> {
  const [row] = await db.run<{ queued: number; oldest_seconds: number }>(oldest, [])
  return row ?? { queued: 0, oldest_seconds: 0 }
}
