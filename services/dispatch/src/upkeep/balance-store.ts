import type { Database, Statement } from '@notify/database'
import type { Tables } from '../db/schema.ts'
import { type LaneOf, readyQueuesSql } from '../deliver/queues/queue-store.ts'

const hold: Statement = {
  name: 'hold-balance-lease',
  text: `
    insert into balance_lease as lease (holder, leased_until) values ($1, now() + make_interval(secs => $2))
    on conflict (one) do update set holder = excluded.holder, leased_until = excluded.leased_until
      where lease.holder = excluded.holder or lease.leased_until < now()
    returning 1`,
}

/** Takes or keeps the lease of the worker that counts for all. @returns whether this worker has it */
export async function holdBalanceLease(db: Database<Tables>, holder: string, leaseSeconds: number): Promise<boolean> {
  return (await db.run(hold, [holder, leaseSeconds])).length > 0
}

/** What the counters of the statements say: a few rows to add up, however many notifications there are. */
export interface Tally {
  accepted: number
  settled: number
  queued: number
  /** Of the queued ones: those that wait for their next attempt. */
  waiting: number
}

const tally: Statement = {
  name: 'tally',
  text: `
    select coalesce(sum(accepted), 0)::float8 as accepted, coalesce(sum(settled), 0)::float8 as settled,
      coalesce(sum(queued), 0)::float8 as queued, coalesce(sum(waiting), 0)::float8 as waiting
    from tallies`,
}

export async function readTally(db: Database<Tables>): Promise<Tally> {
  const [row] = await db.run<Tally>(tally, [])
  return row!
}

/** How long the notification that is due for longest in a lane of a channel has been due. */
export interface OldestQueued {
  lane: string
  channel: string
  seconds: number
}

/** Queues that wait for their own account are left out: its circuit breakers are open, or its rate is limited. */
const oldestQueued: Statement = {
  name: 'oldest-queued',
  text: `
    with ready as (${readyQueuesSql})
    select t.lane, t.channel, coalesce(extract(epoch from now() - min(q.enqueued_at)), 0)::float8 as seconds
    from json_to_recordset($1::json) as t (lane text, channel text)
    left join (
      select * from ready q
      where not exists (
          select from held_queues h
          where h.application_id = q.application_id and h.channel = q.channel and h.mode = q.mode
        ) and not exists (
          select from providers p
          where p.tenant_id = q.tenant_id and p.channel = q.channel and p.rate_limit_per_second is not null and p.deleted_at is null
            and (p.application_id is null or p.application_id = q.application_id)
        )
    ) as q using (lane, channel)
    group by t.lane, t.channel`,
}

export function readOldestQueued(db: Database<Tables>, lanes: readonly LaneOf[]): Promise<OldestQueued[]> {
  return db.run<OldestQueued>(oldestQueued, [JSON.stringify(lanes)])
}

/** What only a scan of everything in flight shows. */
export interface Balance extends Tally {
  in_flight: number
  /** Age of the oldest that is in flight and was not scheduled for later, in seconds. */
  oldest_seconds: number
  /** Open attempts whose notification is not being sent, or is at another attempt. */
  unmatched: number
  /** By how much the counters of queued and waiting ones differed from the scan, which corrects them. */
  corrected: number
}

/** One snapshot, in which each change is counted and in flight, or neither. */
const balance: Statement = {
  name: 'balance',
  text: `
    with tally as (${tally.text}), flight as (
      select count(*) filter (where not settled)::int as in_flight,
        coalesce(extract(epoch from now() - min(created_at) filter (where not settled and status <> 'scheduled')), 0)::float8
          as oldest_seconds,
        count(*) filter (where status = 'queued')::float8 as queued,
        count(*) filter (where status = 'queued' and next_attempt_at is not null)::float8 as waiting
      from in_flight
    ), attempt as (
      select count(*) filter (where n.sending is not true or n.attempt_count <> a.number)::int as unmatched
      from attempts a left join notifications n on n.id = a.notification_id where a.finished_at is null
    ), difference as (
      select flight.queued - tally.queued as queued, flight.waiting - tally.waiting as waiting from tally, flight
    ), correction as (
      insert into tallies (accepted, settled, queued, waiting)
      select 0, 0, queued, waiting from difference where queued <> 0 or waiting <> 0
    )
    select tally.accepted, tally.settled, flight.*, attempt.unmatched, abs(difference.queued) + abs(difference.waiting) as corrected
    from tally, flight, attempt, difference`,
}

/**
 * Compares the counters with everything in flight: accepted = settled + in flight. The counters of queued and waiting ones are
 * corrected when they differ, as after a change of the tables without their triggers.
 */
export async function checkBalance(db: Database<Tables>): Promise<Balance> {
  const [row] = await db.runLong<Balance>(balance, [])
  return row!
}
