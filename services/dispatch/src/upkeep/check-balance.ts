import { column, defineStatement, type Queries } from '@notify/database'
import { tally, tallyColumns } from './balance-store.ts'

/** One snapshot, in which each change is counted and in flight, or neither. */
const balance = defineStatement({
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
    ), digest as (
      select count(*)::int as unmatched_items from in_flight f join notifications n on n.id = f.id
      where f.status = 'scheduled' and f.next_attempt_at is null and not exists (select from digests d where d.id = n.digest_id)
    ), difference as (
      select flight.queued - tally.queued as queued, flight.waiting - tally.waiting as waiting from tally, flight
    ), correction as (
      insert into tallies (accepted, settled, queued, waiting)
      select 0, 0, queued, waiting from difference where queued <> 0 or waiting <> 0
    )
    select tally.accepted, tally.settled, flight.*, attempt.unmatched, digest.unmatched_items, abs(difference.queued) + abs(difference.waiting) as corrected
    from tally, flight, attempt, digest, difference`,
  columns: {
    ...tallyColumns,
    in_flight: column.integer(),
    /** Age of the oldest that is in flight and was not scheduled for later, in seconds. */
    oldest_seconds: column.double(),
    /** Open attempts whose notification is not being sent, or is at another attempt. */
    unmatched: column.integer(),
    /** Items that wait for a digest which is gone. */
    unmatched_items: column.integer(),
    /** By how much the counters of queued and waiting ones differed from the scan, which corrects them. */
    corrected: column.double(),
  },
})

/** What only a scan of everything in flight shows. */
export type Balance = Awaited<ReturnType<typeof checkBalance>>

/**
 * Compares the counters with everything in flight: accepted = settled + in flight. The counters of queued and waiting ones are
 * corrected when they differ, as after a change of the tables without their triggers.
 */
export async function checkBalance(db: Queries) {
  const [row] = await db.runLong(balance)
  return row!
}
