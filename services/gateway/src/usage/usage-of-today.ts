import { column, defineStatement, type RowOf, type Run } from '@notify/database'
import { tables } from '../db/schema.ts'

const columns = {
  tenant_id: tables.usage_days.tenant_id.nullable(),
  messages: column.double(),
  credits: column.double(),
}

/** What a tenant has used; null for all others together. */
export type TenantUsage = RowOf<typeof columns>

const usageOfToday = defineStatement({
  name: 'usage-of-today',
  text: `
    with sums as materialized (
      select tenant_id, sum(messages) as messages, sum(credits) as credits,
        row_number() over (order by sum(credits) desc, sum(messages) desc, tenant_id) <= $1 as shown
      from usage_days where day = (now() at time zone 'UTC')::date and messages > 0 group by tenant_id
    )
    select case when shown then tenant_id end as tenant_id, sum(messages)::float8 as messages, sum(credits)::float8 as credits
    from sums group by 1 order by credits desc, tenant_id`,
  columns,
})

/** Messages accepted today (UTC) and charged: the tenants with most credits, and the sum of all others. */
export function readUsageOfToday(run: Run, tenants: number): Promise<TenantUsage[]> {
  return run(usageOfToday, [tenants])
}
