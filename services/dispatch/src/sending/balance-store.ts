import type { Database, Statement } from '@notify/database'
import type { Tables } from '../db/schema.ts'

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
}

const tally: Statement = {
  name: 'tally',
  text: `
    select coalesce(sum(accepted), 0)::float8 as accepted, coalesce(sum(settled), 0)::float8 as settled,
      coalesce(sum(queued), 0)::float8 as queued
    from tallies`,
}

export async function readTally(db: Database<Tables>): Promise<Tally> {
  const [row] = await db.run<Tally>(tally, [])
  return row!
}

/** The oldest queued notification of a lane of a channel. */
export interface OldestQueued {
  lane: string
  channel: string
  seconds: number
}

/** One step into the index for each lane. */
const oldestQueued: Statement = {
  name: 'oldest-queued',
  text: `
    select lane, channel, coalesce(greatest(0, extract(epoch from now() - first.enqueued_at)), 0)::float8 as seconds
    from json_to_recordset($1::json) as t (lane text, channel text)
    left join lateral (
      select enqueued_at from in_flight f
      where f.lane = t.lane and f.channel = t.channel and f.status = 'queued'
      order by enqueued_at limit 1
    ) as first on true`,
}

export function readOldestQueued(
  db: Database<Tables>,
  lanes: readonly { lane: string; channel: string }[],
): Promise<OldestQueued[]> {
  return db.run<OldestQueued>(oldestQueued, [JSON.stringify(lanes)])
}

/** What only a scan of everything in flight shows. */
export interface Balance extends Tally {
  in_flight: number
  /** Age of the oldest that is in flight and was not scheduled for later, in seconds. */
  oldest_seconds: number
  /** How many more are queued than the counter said; it is corrected by them. */
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
        count(*) filter (where status = 'queued')::float8 as queued
      from in_flight
    ), correction as (
      insert into tallies (accepted, settled, queued)
      select 0, 0, flight.queued - tally.queued from tally, flight where flight.queued <> tally.queued
    )
    select tally.accepted, tally.settled, flight.*, flight.queued - tally.queued as corrected from tally, flight`,
}

/**
 * Compares the counters with everything in flight: accepted = settled + in flight. The counter of queued ones is corrected when it
 * differs: an upgrade, or a worker of a release that does not know it, leaves it wrong.
 */
export async function checkBalance(db: Database<Tables>): Promise<Balance> {
  const [row] = await db.runLong<Balance>(balance, [])
  return row!
}
