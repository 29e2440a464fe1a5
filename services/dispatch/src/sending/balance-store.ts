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

/** What the statements' own counters say: a few rows. */
export interface Tally {
  accepted: number
  settled: number
}

const tally: Statement = {
  name: 'tally',
  text: `
    select coalesce(sum(accepted), 0)::float8 as accepted, coalesce(sum(settled), 0)::float8 as settled from tallies`,
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

/** What only a scan of everything in flight tells. */
export interface Balance extends Tally {
  in_flight: number
  /** Age of the oldest that is in flight and was not scheduled for later, in seconds. */
  oldest_seconds: number
  queued: number
}

const balance: Statement = {
  name: 'balance',
  text: `
    select tally.accepted, tally.settled, flight.*, queue.* from
      (${tally.text}) as tally,
      (select count(*)::int as in_flight,
         coalesce(extract(epoch from now() - min(created_at) filter (where status <> 'scheduled')), 0)::float8 as oldest_seconds
       from in_flight where not settled) as flight,
      (select count(*)::int as queued from in_flight where status = 'queued') as queue`,
}

/** One snapshot, so that the numbers agree with each other: accepted = settled + in flight. */
export async function measureBalance(db: Database<Tables>): Promise<Balance> {
  const [row] = await db.runLong<Balance>(balance, [])
  return row!
}
