import { defineStatement, pick } from '@notify/database'
import type { Context } from '../context.ts'
import { tables } from '../db/schema.ts'
import { factsInto } from './fact-sql.ts'
import { transactionsExpireInMs } from './look-expiring.ts'

const batch = 500

const expire = defineStatement({
  name: 'expire-transactions',
  text: `
    with due as (
      select id from transactions where expires_at <= now() and recipient is not null
      order by expires_at limit ${batch} for update skip locked
    ), ended as (
      update transactions t set recipient = null,
        status = case when t.status = 'failed' then t.status else 'expired' end,
        revision = t.revision + (t.status <> 'failed')::int, updated_at = clock_timestamp()
      from due where t.id = due.id
      returning t.*, old.status as old_status
    ), dropped as (
      update messages m set request = null, due_at = null from ended
      where m.notification_id = ended.notification_id and m.request is not null
    ), facts as (${factsInto('ended where status <> old_status')})
    select id from ended`,
  columns: pick(tables.transactions, 'id'),
})

/** Ends expired transactions and erases their recipients. @returns whether there may be more, or the time until one expires */
export async function expireTransactions({
  db,
  wakeOutbox,
}: Pick<Context, 'db' | 'wakeOutbox'>): Promise<boolean | number> {
  const dueInMs = await transactionsExpireInMs(db)
  if (dueInMs > 0) return dueInMs
  const ended = (await db.run(expire)).length
  if (ended > 0) wakeOutbox()
  return ended === batch || 0
}
