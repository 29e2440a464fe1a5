import { column, defineStatements, type Queries, type RowOf } from '@notify/database'
import { tables } from '../../db/schema.ts'

/** How far in the future a reserved slot may be, in milliseconds. A send without such a slot is put off. */
export interface Reach {
  /** In the part of the rate that all lanes share; it is tried first. */
  nearMs: number
  /** In the part kept for urgent lanes, and then again in the shared part; absent for bulk lanes. */
  keptMs?: number
}

/** The number of slots of a provider in one reservation. */
export interface Wanted {
  provider_id: string
  count: number
  per_second: number
}

/**
 * The share of a provider's rate that all lanes use. The rest is kept for urgent lanes, so that a campaign never delays a
 * code. Both parts together never exceed the rate.
 */
export const sharedPart = 0.8

/** The maximum time for which a worker holds a claimed message while it waits for a slot: none further ahead is reserved. */
export const longestTurnMs = 1000

/** How much later than its rate alone asks the next send of a limited account begins, when its messages wait for turns. */
const waitMs = 100
/** Sends that were put off ask again this soon, in any case. */
const askedAgainMs = 60_000

/**
 * SQL: whether messages of a lane wait for slots of the clocks `s`. Either some were put off a short time ago, or those that workers
 * hold have reserved more than the next slot: urgent ones in both parts of the rate.
 */
export function waitForSlotsSql(lane: string, perSecond: string): string {
  const nowMs = 'extract(epoch from now()) * 1000'
  const ahead = (clock: string, part: number) => `${clock} - 1000 / (${perSecond} * ${part}) > ${nowMs} + ${waitMs}`
  const putOff = (until: string) => `${until} > ${nowMs} - ${askedAgainMs}`
  const shared = ahead('s.shared_ms', sharedPart)
  return `case when ${lane} = 'bulk' then ${putOff('s.bulk_until_ms')} or ${shared}
    else ${putOff('s.urgent_until_ms')} or ${shared} and ${ahead('s.kept_ms', 1 - sharedPart)} end`
}

const fitting = (from: string, every: string, reach: string) =>
  `greatest(0, floor((now_ms + ${reach} - ${from}) / ${every}) + 1)`

const reservedColumns = {
  provider_id: tables.send_slots.provider_id,
  shared: column.integer(),
  shared_in_ms: column.double(),
  kept: column.integer(),
  kept_in_ms: column.double(),
  /** The first slot that nobody has reserved, of the parts that the lane uses. */
  next_in_ms: column.double(),
  /** The interval of the shared part. */
  every_ms: column.double(),
}

const otherUntil = { urgent_until_ms: 'bulk_until_ms', bulk_until_ms: 'urgent_until_ms' } as const
const nextShared = 'shared_from + shared * shared_every'
const nextFrom = {
  urgent_until_ms: `least(${nextShared}, kept_from + kept * kept_every)`,
  bulk_until_ms: nextShared,
}

/**
 * Reserves slots by moving the clocks of providers ahead (the generic cell rate algorithm, for many cells at once): near
 * slots of the shared part, then slots kept for urgent lanes, then later slots of the shared part.
 */
const reserve = defineStatements(
  (until: keyof typeof otherUntil) => ({
    name: `reserve-slots-${until}`,
    text: `
    with wanted as (
      select provider_id, count, 1000 / (per_second * ${sharedPart}) as shared_every, 1000 / (per_second * (1 - ${sharedPart})) as kept_every
      from json_to_recordset($1::json) as t (provider_id text, count int, per_second float8)
    ), locked as (
      select s.* from send_slots s join wanted using (provider_id) order by provider_id for update of s
    ), clocks as (
      -- Clocks that are further ahead were moved when that of Postgres was, or at a much lower rate: nothing follows from them.
      select *, shared_ms > now_ms + ${longestTurnMs} + shared_every as is_void,
        greatest(least(shared_ms, now_ms + ${longestTurnMs} + shared_every), now_ms) as shared_from,
        greatest(least(kept_ms, now_ms + ${longestTurnMs} + kept_every), now_ms) as kept_from
      -- Read after the lock: to a time before it, slots that others reserved meanwhile would seem too far ahead.
      from (select *, extract(epoch from clock_timestamp())::float8 * 1000 as now_ms from locked join wanted using (provider_id)) as timed
    ), near as (
      select *, least(count, ${fitting('shared_from', 'shared_every', '$2::float8')}) as near from clocks
    ), kept as (
      select *, least(count - near, ${fitting('kept_from', 'kept_every', '$3::float8')}) as kept from near
    ), far as (
      select *, greatest(near, least(count - kept, ${fitting('shared_from', 'shared_every', 'greatest($2::float8, $3::float8)')})) as shared from kept
    ), plan as (
      select *, count > shared + kept as is_late, ${nextFrom[until]} as next_from from far
    )
    update send_slots s
    set shared_ms = ${nextShared}, kept_ms = kept_from + kept * kept_every,
        ${until} = case when is_late then next_from when is_void then 0 else plan.${until} end,
        ${otherUntil[until]} = case when is_void then 0 else plan.${otherUntil[until]} end
    from plan where s.provider_id = plan.provider_id
    returning s.provider_id, shared::int as shared, shared_from - now_ms as shared_in_ms, kept::int as kept,
      kept_from - now_ms as kept_in_ms, next_from - now_ms as next_in_ms, shared_every as every_ms`,
    columns: reservedColumns,
  }),
  'urgent_until_ms',
  'bulk_until_ms',
)

/** The first reserved slot of each part, in milliseconds from now; further slots follow at the rate of the part. */
export type Reserved = RowOf<typeof reservedColumns>

/** Reserves slots, with at most one entry for each provider. A provider without clocks is missing from the result. */
export function reserveSlots(db: Queries, wanted: readonly Wanted[], { nearMs, keptMs }: Reach): Promise<Reserved[]> {
  // Slots are never in the past, so this reach excludes the part kept for urgent lanes.
  return db.run(reserve(keptMs === undefined ? 'bulk_until_ms' : 'urgent_until_ms'), [
    JSON.stringify(wanted),
    nearMs,
    keptMs ?? -1e9,
  ])
}
