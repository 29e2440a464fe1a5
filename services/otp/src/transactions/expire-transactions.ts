import { defineStatement, dueOwnersSql, pick } from '@notify/database'
import type { Context } from '../context.ts'
import { tables } from '../db/schema.ts'
import { factsInto } from './fact-sql.ts'
import { transactionsExpireInMs } from './look-expiring.ts'

const batch = 500

/** Tenants share a batch, so that the codes of one do not expire late because of another's. */
const owners = { table: 'transactions', owner: ['tenant_id'], due: 'expires_at', where: 'recipient is not null' }

/** Why a code failed that dispatch had not accepted before it expired. */
const unansweredReason = 'service_unavailable'

/** A code that was never handed over has failed. Before a resend that was not, there is one that was. */
const endOfExpired = `case when coalesce(replaced->>'status', status) in ('pending', 'failed') then 'failed' else 'expired' end`

const expire = defineStatement({
  name: 'expire-transactions',
  text: `
    with due as (
      select mine.id, mine.status from (${dueOwnersSql(owners, batch)}) as o cross join lateral (
        -- With equalities the planner would use the index of all tenants.
        select id, ${endOfExpired} as status from transactions where (tenant_id, expires_at) >= (o.tenant_id, '-infinity')
          and (tenant_id, expires_at) <= (o.tenant_id, now()) and recipient is not null
        order by tenant_id, expires_at limit o.share for update skip locked) as mine
      limit ${batch}
    ), ended as (
      update transactions t set recipient = null,
        status = due.status, revision = t.revision + (t.status <> due.status)::int, updated_at = clock_timestamp(),
        failure_reason = case when due.status = 'failed' then coalesce(t.failure_reason, t.replaced->>'failure_reason', '${unansweredReason}') end
      from due where t.id = due.id
      returning t.*, old.status as old_status
    ), dropped as (
      -- As after a refusal, a repetition of the request starts again with another code.
      update messages m set request = null, due_at = null, refusal = '${unansweredReason}' from ended
      where m.notification_id = ended.notification_id and m.request is not null
    ), facts as (${factsInto('ended where status <> old_status')})
    select id from ended`,
  columns: pick(tables.transactions, 'id'),
})

/** Ends expired transactions and erases their recipients. @returns the milliseconds until one expires */
export async function expireTransactions({ db, wakeOutbox }: Pick<Context, 'db' | 'wakeOutbox'>): Promise<number> {
  const dueInMs = await transactionsExpireInMs(db)
  if (dueInMs > 0) return dueInMs
  if ((await db.run(expire)).length > 0) wakeOutbox()
  return 0
}
