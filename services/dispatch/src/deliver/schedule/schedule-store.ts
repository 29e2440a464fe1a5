import { streams } from '@notify/contracts'
import type { Database, Statement } from '@notify/database'
import type { Channels } from '../../channels/channel.ts'
import type { Tables } from '../../db/schema.ts'
import { expiredReason, hasExpired } from '../../outcome/facts/expiry-sql.ts'
import { factsInto } from '../../outcome/facts/fact-sql.ts'
import { repeatedWorkQueries, workQueries } from '../../outcome/hand-offs/work-sql.ts'
import { askSql, silentSql, withAttempts } from '../../outcome/inquiries/inquiry-store.ts'
import type { WokenQueue } from '../queues/wake-senders.ts'
import { lockOpenSql } from './open-sql.ts'

const batch = 500

const takeDue = (channels: Channels): Statement => ({
  name: 'take-due',
  text: `
    with due as (
      ${lockOpenSql({
        where: `f.next_attempt_at <= now() and f.status in ('queued', 'scheduled')`,
        orderBy: 'f.next_attempt_at',
        still: `n.next_attempt_at <= now() and n.status in ('queued', 'scheduled') and not n.sending`,
        limit: batch,
      })}
    ), taken as (
      update notifications n
      set next_attempt_at = null, when_due = 'send', enqueued_at = now(), updated_at = now(),
          status = case when n.when_due = 'give_up' or ${hasExpired('n')} then 'failed' else 'queued' end,
          retryable = n.when_due = 'give_up',
          failure_reason = case when n.when_due = 'send' and ${hasExpired('n')} then '${expiredReason}' else n.failure_reason end,
          revision = n.revision
            + case when n.when_due = 'give_up' or n.status = 'scheduled' or ${hasExpired('n')} then 1 else 0 end
      where n.id = any (array(select id from due))
      returning n.*, old.status as old_status
    ), ${workQueries(channels, `taken where status = 'queued'`)},
    -- A receipt that the bus has lost may settle what is given up, or is sent again.
    silent as (
      ${silentSql(`${withAttempts('taken')} where taken.attempt_count > 0 and a.outcome = 'unknown'`)}
    ), asked as (${askSql('silent')}),
    facts as (${factsInto('taken where status <> old_status')})
    select lane, channel, tenant_id, application_id, mode, count(*)::int as count from taken group by 1, 2, 3, 4, 5`,
})

/** The due messages of a queue. */
export type TakenQueue = WokenQueue & { count: number }

/** Queues due messages, both scheduled and retried, releases claims that nobody settled, and fails expired messages. */
export function takeDueNotifications(db: Database<Tables>, channels: Channels): Promise<TakenQueue[]> {
  return db.run<TakenQueue>(takeDue(channels), [])
}

/** The most that are taken in one round; a full round may leave more. */
export const scheduleBatch = batch

const requeueLost = (channels: Channels): Statement => ({
  name: 'requeue-lost-work',
  text: `
    with lane as (select * from json_to_recordset($1::json) as t (lane text, channel text, delivered_ms_ago float8)),
    forgotten as (select noticed_at from stream_losses where stream = $2 and last_seq = 0),
    lost as (
      select one.id from lane cross join lateral (
        ${lockOpenSql({
          where: `f.lane = lane.lane and f.channel = lane.channel and f.status = 'queued' and f.enqueued_at
            < greatest(now() - lane.delivered_ms_ago * interval '1 millisecond', (select noticed_at from forgotten))`,
          orderBy: 'f.enqueued_at',
          still: `n.status = 'queued' and not n.sending and n.next_attempt_at is null`,
          limit: batch,
        })}
      ) as one
    ), again as (
      update notifications n set enqueued_at = now() from lost where n.id = lost.id returning n.*
    ), ${repeatedWorkQueries(channels, 'again')}
    select count(*)::int as count from again`,
})

/** How long ago all hand-offs of a lane had reached their service; Postgres subtracts it from its own clock. */
export interface DeliveredLane {
  lane: string
  channel: string
  delivered_ms_ago: number
}

/**
 * Republishes hand-offs that should have arrived and were not reported on; and, once JetStream has forgotten everything, all
 * that were enqueued before that. @returns how many, of each lane at most {@link scheduleBatch}
 */
export async function requeueLostWork(
  db: Database<Tables>,
  channels: Channels,
  lanes: readonly DeliveredLane[],
): Promise<number> {
  const [row] = await db.run<{ count: number }>(requeueLost(channels), [JSON.stringify(lanes), streams.dispatch.name])
  return row?.count ?? 0
}

const closeOverdue: Statement = {
  name: 'close-overdue-receipts',
  text: `
    with overdue as (
      ${lockOpenSql({
        where: `f.status = 'sent' and not f.settled and f.channel = any ($2) and f.since < now() - make_interval(secs => $1)`,
        orderBy: 'f.since',
        still: `n.status = 'sent' and not n.settled`,
        limit: batch,
      })}
    ), closed as (
      update notifications n set receipt_overdue = true where n.id = any (array(select id from overdue)) returning n.id, n.traceparent
    ),
    -- After an outage no inquiry may have reached them.
    silent as (
      ${silentSql(`${withAttempts('closed')} where a.outcome in ('accepted', 'unknown')`)}
    ), asked as (${askSql('silent')})
    select count(*)::int as count from closed`,
}

/**
 * Stops waiting for the receipt of messages sent too long ago, and asks for it a last time; they stay `sent`.
 * @returns how many
 */
export async function closeOverdueReceipts(
  db: Database<Tables>,
  channels: readonly string[],
  deadlineMs: number,
): Promise<number> {
  const [row] = await db.runLong<{ count: number }>(closeOverdue, [deadlineMs / 1000, channels])
  return row?.count ?? 0
}

const tallyBatch = 10_000

const foldTallies: Statement = {
  name: 'fold-tallies',
  text: `
    with folded as (
      delete from tallies where id in (select id from tallies order by id limit ${tallyBatch} for update skip locked)
      returning accepted, settled, queued, waiting
    ), sum as (
      insert into tallies (accepted, settled, queued, waiting)
      select sum(accepted), sum(settled), sum(queued), sum(waiting) from folded having count(*) > 0
    )
    select count(*)::int as count from folded`,
}

/** Sums up the tallies, so that there are never many rows to read. @returns whether there may be more */
export async function sumUpTallies(db: Database<Tables>): Promise<boolean> {
  const [row] = await db.runLong<{ count: number }>(foldTallies, [])
  return row?.count === tallyBatch
}
