import type { Channel } from '@notify/contracts'
import type { Run } from '@notify/database'
import { sql } from 'kysely'
import { build } from '../db/schema.ts'
import { periodFormats, type UsageFilter } from './usage-store.ts'

export type UsageLocaleRow = Awaited<ReturnType<typeof listUsageLocaleRows>>[number]

/** The position after which a page starts: period, application, channel and language. */
export type UsageLocalePosition = [string, string, Channel, string]

/** A page of the sums by period, application, channel and language, in this order. */
export function listUsageLocaleRows(
  run: Run,
  { tenantId, from, to, interval, application_id, channel }: UsageFilter,
  { after, limit }: { after: UsageLocalePosition | undefined; limit: number },
) {
  const sums = build
    .selectFrom('usage_locales')
    .where('tenant_id', '=', tenantId)
    .where('day', '>=', from)
    .where('day', '<=', to)
    .where('messages', '>', 0n)
    .$if(application_id !== undefined, (days) => days.where('application_id', '=', application_id!))
    .$if(channel !== undefined, (days) => days.where('channel', '=', channel!))
    .select([
      sql<string>`to_char(day, ${sql.lit(periodFormats[interval])})`.as('period'),
      ...(['application_id', 'channel', 'locale'] as const),
      sql<number>`sum(messages)::float8`.as('messages'),
      sql<number>`sum(credits)::float8`.as('credits'),
    ])
    .groupBy(['period', 'application_id', 'channel', 'locale'])
  const ordered = build
    .selectFrom(sums.as('sums'))
    .selectAll()
    .orderBy('period')
    .orderBy('application_id')
    .orderBy('channel')
    .orderBy('locale')
    .limit(limit)
  if (!after) return run(ordered)
  return run(ordered.where(sql<boolean>`(period, application_id, channel, locale) > (${sql.join(after)})`))
}
