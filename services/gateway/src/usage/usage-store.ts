import type { Channel, Id } from '@notify/contracts'
import { anyOf, cast, column, deletionById, type Run } from '@notify/database'
import { sql } from 'kysely'
import { build } from '../db/schema.ts'

/** Deletes what only recognises repetitions; the sums stay. */
export const createChargeDeletion = deletionById({ table: 'usage_messages', id: 'id', prefixes: ['notif'] })

export interface UsageFilter {
  tenantId: Id<'ten'>
  from: string
  to: string
  interval: 'day' | 'month'
  application_id?: Id<'app'> | undefined
  channel?: Channel | undefined
}

/** What the sums are grouped by, beside period, application and channel. */
export type UsageGroup = 'category' | 'locale'

export type UsageRow = Awaited<ReturnType<typeof listUsageRows>>[number]

/** The position after which a page starts: period, application, channel and group. */
export type UsagePosition = [string, string, Channel, string]

/** How a period is written. */
export const periodFormats = { day: 'YYYY-MM-DD', month: 'YYYY-MM' }

const counted = ['tenant_id', 'day', 'application_id', 'channel', 'messages', 'credits'] as const

/** The sums by day, of each kind of group. */
const sumsBy = {
  category: build.selectFrom('usage_days').select([...counted, 'category as group']),
  locale: build.selectFrom('usage_locales').select([...counted, 'locale as group']),
} satisfies Record<UsageGroup, unknown>

function selected({ tenantId, from, to, application_id, channel }: UsageFilter, group: UsageGroup) {
  return build
    .selectFrom(sumsBy[group].as('days'))
    .where('tenant_id', '=', tenantId)
    .where('day', '>=', from)
    .where('day', '<=', to)
    .where('messages', '>', 0n)
    .$if(application_id !== undefined, (days) => days.where('application_id', '=', application_id!))
    .$if(channel !== undefined, (days) => days.where('channel', '=', channel!))
}

/** A page of the sums by period, application, channel and group, in this order. */
export function listUsageRows(
  run: Run,
  { group, ...filter }: UsageFilter & { group: UsageGroup },
  { after, limit }: { after: UsagePosition | undefined; limit: number },
) {
  const sums = selected(filter, group)
    .select([
      cast(column.text(), sql`to_char(day, ${sql.lit(periodFormats[filter.interval])})`).as('period'),
      ...(['application_id', 'channel', 'group'] as const),
      cast(column.double(), sql`sum(messages)`).as('messages'),
      cast(column.double(), sql`sum(credits)`).as('credits'),
    ])
    .groupBy(['period', 'application_id', 'channel', 'group'])
  const ordered = build
    .selectFrom(sums.as('sums'))
    .selectAll()
    .orderBy('period')
    .orderBy('application_id')
    .orderBy('channel')
    .orderBy('group')
    .limit(limit)
  if (!after) return run(ordered)
  return run(ordered.where(sql<boolean>`(period, application_id, channel, "group") > (${sql.join(after)})`))
}

/** The totals of all periods. */
export async function sumUsage(run: Run, filter: UsageFilter): Promise<{ messages: number; credits: number }> {
  const [row] = await run(
    selected(filter, 'category').select([
      cast(column.double(), sql`coalesce(sum(messages), 0)`).as('messages'),
      cast(column.double(), sql`coalesce(sum(credits), 0)`).as('credits'),
    ]),
  )
  return row!
}

/** What the messages of codes cost, by id; those that cost nothing are absent. */
export async function readCodeCredits(run: Run, ids: readonly Id<'notif'>[]): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map()
  const rows = await run(build.selectFrom('usage_messages').select(['id', 'credits']).where('id', '=', anyOf(ids)))
  return new Map(rows.map(({ id, credits }) => [id, credits]))
}
