import type { NotificationFact } from '@notify/contracts'
import { deletionByTime, type Queries, type Run, type Statement } from '@notify/database'
import { factsInto } from './fact-sql.ts'

const record: Statement = {
  name: 'record-outcome',
  text: `
    with changed as (
      update transactions set status = $2, failure_reason = $3, revision = revision + 1, updated_at = clock_timestamp()
      where notification_id = $1 and code_proof is not null
        and (status in ('pending', 'sent') or ($2 = 'delivered' and status = 'failed'))
      returning *
    ), facts as (${factsInto('changed')})
    select id from changed`,
}

/** Records the outcome of the message with the current code; outcomes of earlier messages change nothing. */
export async function recordOutcome(
  run: Run,
  { notification_id, status, failure_reason }: Pick<NotificationFact, 'notification_id' | 'status' | 'failure_reason'>,
): Promise<void> {
  if (status === 'delivered') await run(record, [notification_id, 'delivered', null])
  if (status === 'failed' || status === 'undelivered') {
    await run(record, [notification_id, 'failed', failure_reason ?? status])
  }
}

const batch = 500
const keptDays = 30

const expire: Statement = {
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
}

/** Ends expired transactions and erases their recipients. @returns whether there may be more */
export async function expireTransactions(db: Queries): Promise<boolean> {
  return (await db.run(expire)).length === batch
}

const makeDeletions = ['messages', 'transactions'].map((table) =>
  deletionByTime({ table, time: 'created_at', keptDays }),
)

/** @returns deletes transactions and messages after their retention; resolves to whether there may be more */
export function createTransactionDeletion(db: Queries): () => Promise<boolean> {
  const deletions = makeDeletions.map((makeDeletion) => makeDeletion(db))
  return async () => {
    let isMore = false
    for (const deleteSome of deletions) isMore = (await deleteSome()) || isMore
    return isMore
  }
}
