import { column, defineStatements, type Queries, type RowOf } from '@notify/database'
import { tables } from '../../db/schema.ts'

/** How far ahead of its time a send may reserve its slot, in milliseconds; without a slot that early it is postponed. */
export interface Reach {
  /** In the part of the rate that all lanes share. */
  nearMs: number
  /** In what is kept for urgent lanes, and then again in the shared part; absent: never. */
  keptMs?: number
}

/** The number of slots of a provider in one reservation. */
export interface Wanted {
  provider_id: string
  count: number
  per_second: number
}

/**
 * A fifth of a provider's rate is kept for urgent lanes, so that a campaign that takes all it can get never delays a code. The
 * parts together never exceed the rate.
 */
export const sharedPart = 0.8

/** Maximum delay of a postponed send, because the limit may be raised meanwhile. */
export const longestPutOffMs = 300_000

const fitting = (from: string, every: string, reach: string) =>
  `greatest(0, floor((now_ms + ${reach} - ${from}) / ${every}) + 1)`

const reservedColumns = {
  provider_id: tables.send_slots.provider_id,
  shared: column.integer(),
  shared_in_ms: column.double(),
  kept: column.integer(),
  kept_in_ms: column.double(),
  /** When the first of those that found no slot should ask again, and how far the next ones are apart. */
  late_in_ms: column.double(),
  every_ms: column.double(),
}

/**
 * Moves a provider's clocks ahead by what is reserved (the generic cell rate algorithm, for many cells at once): the shared part
 * first where it is near, then what is kept, then the shared part as far as the reach goes.
 */
const reserve = defineStatements(
  (until: 'urgent_until_ms' | 'bulk_until_ms') => ({
    name: `reserve-slots-${until}`,
    text: `
    with wanted as (
      select provider_id, count, 1000 / (per_second * ${sharedPart}) as shared_every, 1000 / (per_second * (1 - ${sharedPart})) as kept_every
      from json_to_recordset($1::json) as t (provider_id text, count int, per_second float8)
    ), locked as (
      select s.* from send_slots s join wanted using (provider_id) order by provider_id for update of s
    ), clocks as (
      select *, greatest(shared_ms, now_ms) as shared_from, greatest(kept_ms, now_ms) as kept_from
      from locked join wanted using (provider_id), (select extract(epoch from now())::float8 * 1000 as now_ms) as clock
    ), near as (
      select *, least(count, ${fitting('shared_from', 'shared_every', '$2::float8')}) as near from clocks
    ), kept as (
      select *, least(count - near, ${fitting('kept_from', 'kept_every', '$3::float8')}) as kept from near
    ), far as (
      select *, greatest(near, least(count - kept, ${fitting('shared_from', 'shared_every', 'greatest($2::float8, $3::float8)')})) as shared from kept
    ), plan as (
      select *, count - shared - kept as late, greatest(${until}, shared_from + shared * shared_every) as late_from from far
    )
    update send_slots s
    set shared_ms = shared_from + shared * shared_every, kept_ms = kept_from + kept * kept_every,
        ${until} = case when late > 0 then least(late_from + late * shared_every, now_ms + ${longestPutOffMs}) else plan.${until} end
    from plan where s.provider_id = plan.provider_id
    returning s.provider_id, shared::int as shared, shared_from - now_ms as shared_in_ms, kept::int as kept,
      kept_from - now_ms as kept_in_ms, late_from - now_ms as late_in_ms, shared_every as every_ms`,
    columns: reservedColumns,
  }),
  'urgent_until_ms',
  'bulk_until_ms',
)

/** What was reserved, in milliseconds from now; slots follow each other at the pace of their part. */
export type Reserved = RowOf<typeof reservedColumns>

/** Reserves slots for sends, at most one line for each provider; a provider that has no clocks yet is missing from the answer. */
export function reserveSlots(db: Queries, wanted: readonly Wanted[], { nearMs, keptMs }: Reach): Promise<Reserved[]> {
  // Slots never begin in the past, so none of the reserved part is taken.
  return db.run(reserve(keptMs === undefined ? 'bulk_until_ms' : 'urgent_until_ms'), [
    JSON.stringify(wanted),
    nearMs,
    keptMs ?? -1e9,
  ])
}
