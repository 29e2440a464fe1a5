import type { ActivityStatus, Channel, Id } from '@notify/contracts'
import { cast, column, type Run } from '@notify/database'
import { type RawBuilder, sql } from 'kysely'
import { build } from '../db/schema.ts'
import { periodFormats, type UsageFilter } from './usage-store.ts'

export interface MessageCounts {
  /** Empty in totals, like the application. */
  period: string
  application_id: Id<'app'> | ''
  channel: Channel
  messages: number
  taken: number
  delivered: number
  failed: number
}

type Grouping = 'channel' | 'period'

const sumOf = (statuses: string) =>
  cast(column.double(), sql`coalesce(sum(count) filter (where status ${sql.raw(statuses)}), 0)`)

/** A page of the messages of live keys: of each period, application and channel, or of each channel. */
export function countMessages(
  run: Run,
  filter: UsageFilter,
  grouping: Grouping,
  page?: { after: [string, string, Channel] | undefined; limit: number },
): Promise<MessageCounts[]> {
  const counts = build
    .selectFrom(countsOfItems(filter, grouping).unionAll(chargedKeys(filter, grouping)).as('counted'))
    .select(['period', 'application_id', 'channel'])
    .select([
      sumOf(`not in ('scheduled', 'cancelled')`).as('messages'),
      sumOf(`in ('sent', 'delivered', 'undelivered', 'verified', 'expired')`).as('taken'),
      sumOf(`in ('delivered', 'verified')`).as('delivered'),
      sumOf(`in ('failed', 'undelivered')`).as('failed'),
    ])
    .groupBy(['period', 'application_id', 'channel'])
  const ordered = build
    .selectFrom(counts.as('counts'))
    .selectAll()
    .orderBy('period')
    .orderBy('application_id')
    .orderBy('channel')
    .$if(page !== undefined, (query) => query.limit(page!.limit))
  const { after } = page ?? {}
  if (!after) return run(ordered)
  return run(ordered.where(sql<boolean>`(period, application_id, channel) > (${sql.join(after)})`))
}

/** Period and application of a row; both empty in totals. */
const keyOf = (grouping: Grouping, interval: UsageFilter['interval'], day: RawBuilder<unknown>) => {
  const isTotal = grouping === 'channel'
  const period = isTotal ? sql`''` : sql`to_char(${day}, ${sql.lit(periodFormats[interval])})`
  return [
    cast(column.text(), period).as('period'),
    cast(column.text<Id<'app'> | ''>(), isTotal ? sql`''` : sql`application_id`).as('application_id'),
  ] as const
}

function countsOfItems({ tenantId, from, to, interval, application_id, channel }: UsageFilter, grouping: Grouping) {
  return (
    build
      .selectFrom('activity_buckets')
      .select(keyOf(grouping, interval, sql`starts_at at time zone 'UTC'`))
      .select(['channel', 'status', 'count'])
      .where('tenant_id', '=', tenantId)
      // An empty application stands for all of them.
      .where('application_id', '<>', '' as Id<'app'>)
      .where('width', '=', 'day')
      .where('mode', '=', 'live')
      .where('count', '>', 0n)
      // Of a date, `at time zone` would first make midnight in the zone of the session.
      .where('starts_at', '>=', sql<Date>`${from}::timestamp at time zone 'UTC'`)
      .where('starts_at', '<', sql<Date>`(${to}::timestamp + interval '1 day') at time zone 'UTC'`)
      .$if(application_id !== undefined, (query) => query.where('application_id', '=', application_id!))
      .$if(channel !== undefined, (query) => query.where('channel', '=', channel!))
  )
}

/** What was charged stays when the items are deleted. */
function chargedKeys({ tenantId, from, to, interval, application_id, channel }: UsageFilter, grouping: Grouping) {
  return build
    .selectFrom('usage_days')
    .select(keyOf(grouping, interval, sql`day`))
    .select('channel')
    .select(cast(column.text<ActivityStatus>(), sql`''`).as('status'))
    .select(cast(column.bigint(), sql`0`).as('count'))
    .where('tenant_id', '=', tenantId)
    .where('messages', '>', 0n)
    .where('day', '>=', from)
    .where('day', '<=', to)
    .$if(application_id !== undefined, (query) => query.where('application_id', '=', application_id!))
    .$if(channel !== undefined, (query) => query.where('channel', '=', channel!))
}

/** Messages that were charged, of one category to one country. */
export interface ChargedCounts {
  /** Empty for channels without categories. */
  category: string
  /** Empty for recipients that are no phone numbers. */
  country_prefix: string
  messages: number
  segments: number
}

/**
 * Charged messages by category and country, of each channel, or of each period, application and channel.
 * @param periods the first and the last one, of those to count
 */
export async function countCharged(
  run: Run,
  { tenantId, from, to, interval, application_id, channel }: UsageFilter,
  grouping: Grouping,
  periods?: readonly [string, string],
): Promise<Map<string, ChargedCounts[]>> {
  const period = sql`to_char(day, ${sql.lit(periodFormats[interval])})`
  const key = grouping === 'channel' ? sql`channel` : sql`${period} || ' ' || application_id || ' ' || channel`
  const rows = await run(
    build
      .selectFrom('usage_days')
      .select(cast(column.text(), key).as('key'))
      .select(['category', 'country_prefix'])
      .select(cast(column.double(), sql`sum(messages)`).as('messages'))
      .select(cast(column.double(), sql`sum(segments)`).as('segments'))
      .where('tenant_id', '=', tenantId)
      .where('day', '>=', from)
      .where('day', '<=', to)
      .$if(application_id !== undefined, (query) => query.where('application_id', '=', application_id!))
      .$if(channel !== undefined, (query) => query.where('channel', '=', channel!))
      .$if(periods !== undefined, (query) =>
        query.where(sql<boolean>`${period} between ${sql.join(periods ?? [], sql` and `)}`),
      )
      .groupBy(['key', 'category', 'country_prefix'])
      .having(sql<boolean>`sum(messages) > 0`),
  )
  return Map.groupBy(rows, ({ key: of }) => of)
}
