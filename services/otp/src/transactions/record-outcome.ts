import type { NotificationFact } from '@notify/contracts'
import { defineStatement, pick, type Run } from '@notify/database'
import { tables } from '../db/schema.ts'
import { factsInto } from './fact-sql.ts'

/** SQL for whether an outcome changes a status. The message of a code that has expired may have waited until then: it says why. */
const isNews = (status: string) => `(${status} in ('pending', 'sent') or $2 = 'delivered' and ${status} = 'failed'
  or $2 = 'failed' and ${status} = 'expired')`

const isCurrent = 't.notification_id = $1'

/** A code that a resend replaces keeps its outcome, which is restored if dispatch refuses the resend: an outcome of that excludes it. */
const record = defineStatement({
  name: 'record-outcome',
  text: `
    with changed as (
      update transactions t set
        status = case when ${isCurrent} then $2 else t.status end,
        failure_reason = case when ${isCurrent} then $3 else t.failure_reason end,
        locale = case when ${isCurrent} then $4 else t.locale end,
        replaced = case when ${isCurrent} then null
          else t.replaced || jsonb_build_object('status', $2::text, 'failure_reason', $3::text) end,
        revision = t.revision + (${isCurrent})::int, updated_at = clock_timestamp()
      where t.id = (select transaction_id from messages where notification_id = $1) and t.code_proof is not null
        and case when ${isCurrent} then ${isNews('t.status')}
          when t.replaced->>'notification_id' = $1 then ${isNews(`(t.replaced->>'status')`)} end
      returning t.*, ${isCurrent} as is_current
    ), facts as (${factsInto('changed where is_current')})
    select id from changed where is_current`,
  columns: pick(tables.transactions, 'id'),
})

/** Records the outcome of the message with the current code, or with the one that it replaces. @returns whether there is a fact */
export async function recordOutcome(
  run: Run,
  {
    notification_id,
    status,
    failure_reason,
    locale = null,
  }: Pick<NotificationFact, 'notification_id' | 'status' | 'failure_reason' | 'locale'>,
): Promise<boolean> {
  if (status === 'delivered') return (await run(record, [notification_id, 'delivered', null, locale])).length > 0
  if (status !== 'failed' && status !== 'undelivered') return false
  return (await run(record, [notification_id, 'failed', failure_reason ?? status, locale])).length > 0
}
