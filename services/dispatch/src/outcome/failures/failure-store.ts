import type { Channel, Id, KeyMode } from '@notify/contracts'
import { cast, column, defineStatement, deletionByTime, type Run } from '@notify/database'
import { sql } from 'kysely'
import { build } from '../../db/schema.ts'

/** Two of the longest period. */
const keptDays = 61

/** Failures of one kind in one hour. */
export interface NewFailure {
  provider_id: Id<'prov'>
  channel: Channel
  mode: KeyMode
  hour: string
  code: string
  failures: number
  reason: string | null
}

const save = defineStatement({
  name: 'save-failures',
  text: `
    insert into failure_hours as known (tenant_id, hour, provider_id, channel, mode, code, failures, reason)
    select p.tenant_id, t.hour, t.provider_id, t.channel, t.mode, t.code, t.failures, t.reason
    from json_to_recordset($1::json) as t (provider_id text, channel text, mode text, hour timestamptz, code text, failures bigint, reason text)
    join providers p on p.id = t.provider_id
    order by 1, 2, 3, 4, 5, 6
    on conflict (tenant_id, hour, provider_id, channel, mode, code)
      do update set failures = known.failures + excluded.failures, reason = coalesce(excluded.reason, known.reason)`,
})

export async function saveFailures(run: Run, failures: readonly NewFailure[]): Promise<void> {
  await run(save, [JSON.stringify(failures)])
}

export interface FailureFilter {
  tenantId: Id<'ten'>
  from: Date
  to: Date
  bucket: 'hour' | 'day'
  channel?: Channel | undefined
  providerId?: Id<'prov'> | undefined
  mode?: KeyMode | undefined
}

/** A tenant has few failing codes of few providers; of more, the oldest are left out. */
const mostRows = 20_000

const latestReason = sql`(array_agg(f.reason order by f.hour desc) filter (where f.reason is not null))[1]`

/** Failures by provider, channel, code and bucket, newest first. */
export function readFailures(run: Run, { tenantId, from, to, bucket, channel, providerId, mode }: FailureFilter) {
  return run(
    build
      .selectFrom('failure_hours as f')
      .innerJoin('providers as p', 'p.id', 'f.provider_id')
      .select(({ fn }) => [
        ...(['f.provider_id', 'p.name', 'p.kind', 'f.channel', 'f.code'] as const),
        cast(column.timestamp(), sql`date_trunc(${sql.lit(bucket)}, f.hour, 'UTC')`).as('starts_at'),
        cast(column.double(), sql`sum(f.failures)`).as('failures'),
        fn.max('f.hour').as('last_at'),
        cast(column.text().nullable(), latestReason).as('reason'),
      ])
      .where('f.tenant_id', '=', tenantId)
      .where('f.hour', '>=', from)
      .where('f.hour', '<', to)
      .$if(channel !== undefined, (query) => query.where('f.channel', '=', channel!))
      .$if(providerId !== undefined, (query) => query.where('f.provider_id', '=', providerId!))
      .$if(mode !== undefined, (query) => query.where('f.mode', '=', mode!))
      .groupBy(['f.provider_id', 'p.name', 'p.kind', 'f.channel', 'f.code', 'starts_at'])
      .orderBy('starts_at', 'desc')
      .limit(mostRows),
  )
}

export const createFailureDeletion = deletionByTime({ table: 'failure_hours', time: 'hour', keptDays })
