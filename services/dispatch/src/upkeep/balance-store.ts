import { column, defineStatement, pick, type Queries } from '@notify/database'
import { sql } from 'kysely'
import { build, tables } from '../db/schema.ts'
import { type LaneOf, readyQueuesSql } from '../deliver/queues/queue-store.ts'
import { waitForSlotsSql } from '../deliver/throttle/slot-store.ts'

/** Takes or keeps the lease of the worker that counts for all. @returns whether this worker has it */
export async function holdBalanceLease(db: Queries, holder: string, leaseSeconds: number): Promise<boolean> {
  const lease = { holder, leased_until: sql<Date>`now() + make_interval(secs => ${leaseSeconds})` }
  const rows = await db.run(
    build
      .insertInto('balance_lease')
      .values(lease)
      .onConflict((conflict) =>
        conflict
          .column('one')
          .doUpdateSet(lease)
          .where((is) =>
            is.or([is('balance_lease.holder', '=', holder), is('balance_lease.leased_until', '<', sql<Date>`now()`)]),
          ),
      )
      .returning('holder'),
  )
  return rows.length > 0
}

export const tallyColumns = {
  accepted: column.double(),
  settled: column.double(),
  queued: column.double(),
  /** Of the queued ones: those that wait for their next attempt. */
  waiting: column.double(),
}

export const tally = defineStatement({
  name: 'tally',
  text: `
    select coalesce(sum(accepted), 0)::float8 as accepted, coalesce(sum(settled), 0)::float8 as settled,
      coalesce(sum(queued), 0)::float8 as queued, coalesce(sum(waiting), 0)::float8 as waiting
    from tallies`,
  columns: tallyColumns,
})

/** What the counters of the statements say: a few rows to add up, however many notifications there are. */
export type Tally = Awaited<ReturnType<typeof readTally>>

export async function readTally(db: Queries) {
  const [row] = await db.run(tally)
  return row!
}

const secondsSinceOldest = (which: string) =>
  `coalesce(extract(epoch from now() - min(q.enqueued_at) filter (where ${which})), 0)::float8`

/**
 * Queues that wait for the rate limits of all providers of a priority are in `limited_seconds`, not in `seconds`. Those whose
 * circuit breakers are all open, or that wait for consent, are in neither.
 */
const oldestQueued = defineStatement({
  name: 'oldest-queued',
  text: `
    select t.lane, t.channel, ${secondsSinceOldest('not q.is_limited')} as seconds,
      ${secondsSinceOldest('q.is_limited')} as limited_seconds
    from json_to_recordset($1::json) as t (lane text, channel text)
    left join (
      select q.*, exists (
          select from providers p left join send_slots s on s.provider_id = p.id
          where q.mode = 'live' and p.tenant_id = q.tenant_id and p.channel = q.channel
            and p.deleted_at is null and (p.application_id is null or p.application_id = q.application_id)
          group by p.priority
          having bool_and(p.rate_limit_per_second is not null
            and coalesce(${waitForSlotsSql('q.lane', 'p.rate_limit_per_second')}, false))
        ) as is_limited
      from (${readyQueuesSql}) as q
      where not exists (
          select from held_queues h
          where h.application_id = q.application_id and h.channel = q.channel and h.mode = q.mode
        )
    ) as q using (lane, channel)
    group by t.lane, t.channel`,
  columns: {
    ...pick(tables.notifications, 'lane', 'channel'),
    seconds: column.double(),
    limited_seconds: column.double(),
  },
})

/** How long the notification that is due for longest in a lane of a channel has been due. */
export type OldestQueued = Awaited<ReturnType<typeof readOldestQueued>>[number]

const overdueDigests = defineStatement({
  name: 'overdue-digests',
  text: `
    select coalesce(extract(epoch from now() - least(min(due_at), (select min(closes_at) from digests where not is_open))), 0)::float8
      as seconds from digests`,
  columns: { seconds: column.double() },
})

/** How long a digest has waited for its close, in seconds. */
export async function readOverdueDigests(db: Queries): Promise<number> {
  return Math.max(0, (await db.run(overdueDigests))[0]!.seconds)
}

export function readOldestQueued(db: Queries, lanes: readonly LaneOf[]) {
  return db.run(oldestQueued, [JSON.stringify(lanes)])
}
