import type { Channel, Id } from '@notify/contracts'
import type { Queries, Run } from '@notify/database'
import { sql } from 'kysely'
import { build } from '../db/schema.ts'

const dayMs = 86_400_000
const deletionBatch = 1000

/** Deletes what only recognises repetitions; the sums stay. @returns whether there may be more */
export async function deleteOldMessages({ runLong }: Queries, olderThanMs: number): Promise<boolean> {
  const days = Math.ceil(olderThanMs / dayMs)
  const old = build
    .selectFrom('usage_messages')
    .select('id')
    .where('day', '<', sql<string>`(now() at time zone 'UTC')::date - ${days}::int`)
    .limit(deletionBatch)
  const deleted = await runLong(build.deleteFrom('usage_messages').where('id', 'in', old).returning('id'))
  return deleted.length === deletionBatch
}

export interface UsageFilter {
  tenantId: Id<'ten'>
  from: string
  to: string
  interval: 'day' | 'month'
  application_id?: Id<'app'> | undefined
  channel?: Channel | undefined
}

export type UsageRow = Awaited<ReturnType<typeof listUsageRows>>[number]

/** The position after which a page starts: period, application, channel and category. */
export type UsagePosition = [string, string, Channel, string]

/** How a period is written. */
export const periodFormats = { day: 'YYYY-MM-DD', month: 'YYYY-MM' }

function selected({ tenantId, from, to, application_id, channel }: UsageFilter) {
  let days = build
    .selectFrom('usage_days')
    .where('tenant_id', '=', tenantId)
    .where('day', '>=', from)
    .where('day', '<=', to)
    .where('messages', '>', 0n)
  if (application_id !== undefined) days = days.where('application_id', '=', application_id)
  return channel === undefined ? days : days.where('channel', '=', channel)
}

/** A page of the sums by period, application, channel and category, in this order. */
export function listUsageRows(
  run: Run,
  filter: UsageFilter,
  { after, limit }: { after: UsagePosition | undefined; limit: number },
) {
  const format = sql.lit(periodFormats[filter.interval])
  const sums = selected(filter)
    .select([
      sql<string>`to_char(day, ${format})`.as('period'),
      ...(['application_id', 'channel', 'category'] as const),
      sql<number>`sum(messages)::float8`.as('messages'),
      sql<number>`sum(credits)::float8`.as('credits'),
    ])
    .groupBy(['period', 'application_id', 'channel', 'category'])
  const ordered = build
    .selectFrom(sums.as('sums'))
    .selectAll()
    .orderBy('period')
    .orderBy('application_id')
    .orderBy('channel')
    .orderBy('category')
    .limit(limit)
  if (!after) return run(ordered)
  return run(ordered.where(sql<boolean>`(period, application_id, channel, category) > (${sql.join(after)})`))
}

/** The totals of all periods. */
export async function sumUsage(run: Run, filter: UsageFilter): Promise<{ messages: number; credits: number }> {
  const [row] = await run(
    selected(filter).select([
      sql<number>`coalesce(sum(messages), 0)::float8`.as('messages'),
      sql<number>`coalesce(sum(credits), 0)::float8`.as('credits'),
    ]),
  )
  return row!
}
