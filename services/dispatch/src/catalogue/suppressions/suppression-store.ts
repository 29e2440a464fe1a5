import { type Id, newId, type SuppressionReason } from '@notify/contracts'
import { defineStatement, type Run } from '@notify/database'
import { type Selectable, sql } from 'kysely'
import { build, type Tables, tables } from '../../db/schema.ts'

export type SuppressionRow = Selectable<Tables['suppressions']>

/** Equal for the same recipient. */
const keyOf = ({ tenant_id, channel, recipient_index }: NewSuppression): string =>
  `${tenant_id} ${channel} ${recipient_index}`

/** A suppression to add, when it was reported, by default now, and when it occurred, by default when it was reported. */
export type NewSuppression = Pick<
  SuppressionRow,
  'tenant_id' | 'channel' | 'recipient_index' | 'recipient_masked' | 'reason'
> & {
  source_notification_id?: SuppressionRow['source_notification_id']
  reported_at?: Date | string
  occurred_at?: Date | string
}

const keepWhere = (condition: string) => (column: string) =>
  `${column} = case when ${condition} then known.${column} else excluded.${column} end`

/**
 * A reason that the recipient cannot lift replaces `stop`; otherwise the first stays.
 * Only a report after the lift renews a lifted suppression; if START lifted it, of an occurrence after START.
 */
const insert = defineStatement({
  name: 'suppress',
  text: `
    insert into suppressions as known (id, tenant_id, channel, recipient_index, recipient_masked, reason,
      source_notification_id, reported_at, occurred_at)
    select id, tenant_id, channel, recipient_index, recipient_masked, reason, source_notification_id,
      greatest(coalesce(reported_at, now), occurred_at), least(coalesce(occurred_at, reported_at), now)
    from json_to_recordset($1::json) as t (id text, tenant_id text, channel text, recipient_index text,
      recipient_masked text, reason text, source_notification_id text, reported_at timestamptz, occurred_at timestamptz),
      clock_timestamp() as now
    order by tenant_id, channel, recipient_index
    on conflict (tenant_id, channel, recipient_index) do update set
      ${['id', 'created_at'].map(keepWhere('known.lifted_at is null'))},
      ${['reason', 'source_notification_id'].map(keepWhere(`known.lifted_at is null and known.reason <> 'stop'`))},
      ${['reported_at', 'occurred_at'].map((column) => `${column} = greatest(known.${column}, excluded.${column})`)}, lifted_at = null
    -- A lift in the future was recorded before the clock of Postgres was set back.
    where known.lifted_at is null or ((known.lifted_at <= excluded.reported_at or known.lifted_at > clock_timestamp())
      -- START lifts at the time at which it occurred, an operator after it.
      and (known.lifted_at > known.occurred_at or known.occurred_at <= excluded.occurred_at))
    returning new.*, case when old.lifted_at is null then old.reason end as former_reason`,
  columns: { ...tables.suppressions, former_reason: tables.suppressions.reason.nullable() },
})

/** A suppression, and the reason that it had before; null for a new one. */
export type SuppressedRow = SuppressionRow & { former_reason: SuppressionReason | null }

/** Suppresses recipients. @returns the resulting suppressions, without those lifted after their report */
export async function suppress(run: Run, suppressions: readonly NewSuppression[]): Promise<SuppressedRow[]> {
  if (suppressions.length === 0) return []
  // A statement may update a row once; of several reasons `stop` is the weakest.
  const strongestLast = suppressions.toSorted((a, b) => strength(a.reason) - strength(b.reason))
  const byRecipient = new Map(strongestLast.map((one) => [keyOf(one), one]))
  const rows = [...byRecipient.values()].map((one) => ({ id: newId('sup'), ...one }))
  return run(insert, [JSON.stringify(rows)])
}

const strength = (reason: SuppressionReason) => (reason === 'stop' ? 0 : 1)

/** A recipient's opt-in, and its time. */
export type Lift = Omit<NewSuppression, 'reason' | 'source_notification_id' | 'reported_at'> & {
  occurred_at: Date | string
}

/** Stored even without a suppression, so that a STOP sent before but handled later has no effect. */
const lifting = defineStatement({
  name: 'lift-suppression',
  text: `
    insert into suppressions as known (id, tenant_id, channel, recipient_index, recipient_masked, reason, reported_at, occurred_at,
      lifted_at)
    select $1, $2, $3, $4, $5, 'stop', at, at, at from least($6::timestamptz, clock_timestamp()) as at
    on conflict (tenant_id, channel, recipient_index) do update set
      occurred_at = excluded.occurred_at, lifted_at = greatest(known.lifted_at, excluded.lifted_at)
    where (known.reason = 'stop' or known.lifted_at is not null) and known.occurred_at < excluded.occurred_at`,
})

/** Lifts a `stop`; bounces, complaints and manual suppressions stay. */
export async function lift(run: Run, one: Lift): Promise<void> {
  const { tenant_id, channel, recipient_index, recipient_masked, occurred_at } = one
  await run(lifting, [newId('sup'), tenant_id, channel, recipient_index, recipient_masked, occurred_at])
}

/** Lifts a suppression of any reason. @returns undefined if there was none */
export async function liftById(run: Run, tenantId: Id<'ten'>, id: Id<'sup'>): Promise<SuppressionRow | undefined> {
  const [lifted] = await run(
    build
      .updateTable('suppressions')
      .set({ lifted_at: sql<Date>`now()` })
      .where('id', '=', id)
      .where('tenant_id', '=', tenantId)
      .where('lifted_at', 'is', null)
      .returningAll(),
  )
  return lifted
}

export interface SuppressionFilter {
  tenantId: Id<'ten'>
  channel: SuppressionRow['channel'] | undefined
  reason: SuppressionReason | undefined
  recipientIndex: string | undefined
}

/** A page of a tenant's suppressions, newest first. Each combination of filters has its own plan. */
export function listSuppressionRows(
  run: Run,
  { tenantId, channel, reason, recipientIndex }: SuppressionFilter,
  { after, limit }: { after: Id<'sup'> | undefined; limit: number },
): Promise<SuppressionRow[]> {
  const suppressions = build
    .selectFrom('suppressions')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('lifted_at', 'is', null)
    .$if(channel !== undefined, (query) => query.where('channel', '=', channel!))
    .$if(reason !== undefined, (query) => query.where('reason', '=', reason!))
    .$if(recipientIndex !== undefined, (query) => query.where('recipient_index', '=', recipientIndex!))
    .$if(after !== undefined, (query) => query.where('id', '<', after!))
  return run(suppressions.orderBy('id', 'desc').limit(limit))
}
