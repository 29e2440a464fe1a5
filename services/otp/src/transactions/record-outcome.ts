import type { NotificationFact } from '@notify/contracts'
import { defineStatement, pick, type Run } from '@notify/database'
import { tables } from '../db/schema.ts'
import { factsInto } from './fact-sql.ts'

const record = defineStatement({
  name: 'record-outcome',
  text: `
    with changed as (
      update transactions set status = $2, failure_reason = $3, locale = $4, revision = revision + 1, updated_at = clock_timestamp()
      where notification_id = $1 and code_proof is not null
        and (status in ('pending', 'sent') or ($2 = 'delivered' and status = 'failed'))
      returning *
    ), facts as (${factsInto('changed')})
    select id from changed`,
  columns: pick(tables.transactions, 'id'),
})

/** Records the outcome of the message with the current code; outcomes of earlier messages change nothing. @returns whether it did */
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
