import type { Channel } from '@notify/contracts'
import type { Queries, Run, Statement } from '@notify/database'

/** What a message costs in its present state. */
export interface Charge {
  id: string
  revision: number
  tenant_id: string
  application_id: string
  channel: Channel
  /** Empty for channels without categories. */
  category: string
  credits: number
  /** UTC day of acceptance. */
  day: string
}

/** The newest revision of a message counts; the sums change by the difference to the one before. */
const count: Statement = {
  name: 'count-usage',
  text: `
    with input as (
      select * from json_to_recordset($1::json) as t (id text, revision int, tenant_id text, application_id text,
        channel text, category text, credits int, day date)
    ), changed as (
      insert into usage_messages (id, revision, credits, day)
      select id, revision, credits, day from input order by id
      on conflict (id) do update set revision = excluded.revision, credits = excluded.credits
        where usage_messages.revision < excluded.revision
      returning new.id, new.credits - coalesce(old.credits, 0) as credits,
        (new.credits > 0)::int - coalesce((old.credits > 0)::int, 0) as messages
    ), sums as (
      select tenant_id, day, application_id, channel, category, sum(c.messages) as messages, sum(c.credits) as credits
      from changed c join input i using (id)
      group by tenant_id, day, application_id, channel, category
      having sum(c.messages) <> 0 or sum(c.credits) <> 0
      order by tenant_id, day, application_id, channel, category
    )
    insert into usage_days as known (tenant_id, day, application_id, channel, category, messages, credits)
    select * from sums
    on conflict (tenant_id, day, application_id, channel, category) do update
      set messages = known.messages + excluded.messages, credits = known.credits + excluded.credits`,
}

/** Counts charges, at most one per message. Repeating it changes nothing. */
export async function countCharges(run: Run, charges: readonly Charge[]): Promise<void> {
  await run(count, [JSON.stringify(charges)])
}

const dayMs = 86_400_000
const deletionBatch = 1000

const removeOld: Statement = {
  name: 'delete-old-usage-messages',
  text: `delete from usage_messages where id in (
           select id from usage_messages where day < (now() at time zone 'UTC')::date - $1::int limit ${deletionBatch})
         returning 1`,
}

/** Deletes what only recognises repetitions; the sums stay. @returns whether there may be more */
export async function deleteOldMessages({ runLong }: Queries, olderThanMs: number): Promise<boolean> {
  return (await runLong(removeOld, [Math.ceil(olderThanMs / dayMs)])).length === deletionBatch
}

export interface UsageFilter {
  tenantId: string
  from: string
  to: string
  interval: 'day' | 'month'
  application_id?: string | undefined
  channel?: string | undefined
}

export interface UsageRow {
  period: string
  application_id: string
  channel: Channel
  category: string
  messages: number
  credits: number
}

/** The position after which a page starts: period, application, channel and category. */
export type UsagePosition = [string, string, string, string]

const formats = { day: 'YYYY-MM-DD', month: 'YYYY-MM' }

function selection({ tenantId, from, to, application_id, channel }: UsageFilter) {
  const values: unknown[] = [tenantId, from, to]
  const conditions = ['tenant_id = $1', 'day >= $2', 'day <= $3', 'messages > 0']
  if (application_id !== undefined) conditions.push(`application_id = $${values.push(application_id)}`)
  if (channel !== undefined) conditions.push(`channel = $${values.push(channel)}`)
  return { values, where: conditions.join(' and ') }
}

/** A page of the sums by period, application, channel and category, in this order. */
export function listUsageRows(
  run: Run,
  filter: UsageFilter,
  { after, limit }: { after: UsagePosition | undefined; limit: number },
): Promise<UsageRow[]> {
  const { values, where } = selection(filter)
  const keys = 'period, application_id, channel, category'
  const later = after ? `where (${keys}) > (${after.map((key) => `$${values.push(key)}`).join(', ')})` : ''
  return run<UsageRow>(
    `select * from (
       select to_char(day, '${formats[filter.interval]}') as period, application_id, channel, category,
         sum(messages)::float8 as messages, sum(credits)::float8 as credits
       from usage_days where ${where} group by 1, 2, 3, 4
     ) as sums ${later} order by ${keys} limit $${values.push(limit)}`,
    values,
  )
}

/** The totals of all periods. */
export async function sumUsage(run: Run, filter: UsageFilter): Promise<{ messages: number; credits: number }> {
  const { values, where } = selection(filter)
  const [row] = await run<{ messages: number; credits: number }>(
    `select coalesce(sum(messages), 0)::float8 as messages, coalesce(sum(credits), 0)::float8 as credits
     from usage_days where ${where}`,
    values,
  )
  return row!
}

/** What a tenant has used; null for all others together. */
export interface TenantUsage {
  tenant_id: string | null
  messages: number
  credits: number
}

const usageOfToday: Statement = {
  name: 'usage-of-today',
  text: `
    with sums as materialized (
      select tenant_id, sum(messages) as messages, sum(credits) as credits,
        row_number() over (order by sum(credits) desc, sum(messages) desc, tenant_id) <= $1 as shown
      from usage_days where day = (now() at time zone 'UTC')::date and messages > 0 group by tenant_id
    )
    select case when shown then tenant_id end as tenant_id, sum(messages)::float8 as messages, sum(credits)::float8 as credits
    from sums group by 1 order by credits desc, tenant_id`,
}

/** Messages accepted today (UTC) and charged: the tenants with most credits, and the sum of all others. */
export function readUsageOfToday(run: Run, tenants: number): Promise<TenantUsage[]> {
  return run<TenantUsage>(usageOfToday, [tenants])
}
