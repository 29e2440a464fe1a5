import type { Receipt } from '@notify/contracts'
import type { Database, Statement } from '@notify/database'
import type { Tables } from '../db/schema.ts'
import { factsInto } from '../notifications/fact-sql.ts'
import { explainFailure } from './explain-failure.ts'
import { moves } from './transition.ts'

/** Whether the receipt is of the attempt that the state speaks of: none while an operator's retry waits for its first one. */
const ownAttempt = 'attempt.number = n.attempt_count and n.round_attempts > 0'

/** SQL for the next state, null when nothing changes: `transition` written out. */
const nextStatus = `case ${moves
  .map(({ from, report, ownAttempt: own, to }) => {
    const condition = `n.status = '${from}' and receipt.status = '${report}'${own ? ` and ${ownAttempt}` : ''}`
    return `when ${condition} then '${to}'`
  })
  .join(' ')} end`

/**
 * SQL for what the carrier said of an attempt: the first receipt that says something stands, in the place of what was known
 * while its outcome was not, and nothing is added to a message that was delivered.
 */
const told = (what: string) => `coalesce(case when a.outcome = 'accepted' then a.provider_${what} end,
            case when locked.status <> 'delivered' then receipt.${what} end)`

/**
 * A receipt counts only for notifications of the tenant whose account signed it: the correlation that came with it is the
 * carrier account's word. It also settles an attempt whose outcome was unknown. The next state is an expression over the row
 * and no join with a table of moves: a row that somebody else changed meanwhile is judged anew, a joined line would not be.
 */
const apply: Statement = {
  name: 'apply-receipts',
  text: `
    with receipt as (
      select * from json_to_recordset($1::json) as t (id text, attempt_id text, provider_id text, provider_message_id text,
        status text, code text, message text, retryable boolean)
    ), locked as (
      select n.id, n.status from notifications n join receipt using (id)
      join providers p on p.id = receipt.provider_id and p.tenant_id = n.tenant_id
      order by n.id for update of n
    ), attempt as (
      update attempts a
      set outcome = 'accepted', finished_at = coalesce(a.finished_at, now()),
          provider_id = coalesce(a.provider_id, receipt.provider_id),
          provider_message_id = coalesce(a.provider_message_id, receipt.provider_message_id),
          provider_code = ${told('code')}, provider_message = ${told('message')}
      from receipt join locked using (id)
      where a.notification_id = receipt.id and a.id = receipt.attempt_id
      returning a.notification_id as id, a.number
    ), changed as (
      update notifications n
      set status = ${nextStatus}, revision = n.revision + 1, updated_at = now(), next_attempt_at = null, when_due = 'send',
          sending = n.sending and attempt.number <> n.attempt_count,
          failure_reason = receipt.message, retryable = receipt.retryable
      from receipt join attempt using (id)
      where n.id = receipt.id and ${nextStatus} is not null
      returning n.*
    ), facts as (${factsInto('changed')})
    select id from changed`,
}

/** Applies receipts, at most one for each notification. @returns the notifications whose state changed */
export async function applyReceipts(db: Database<Tables>, receipts: readonly Receipt[]): Promise<Set<string>> {
  const rows = await db.run<{ id: string }>(apply, [JSON.stringify(receipts.map(rowOf))])
  return new Set(rows.map(({ id }) => id))
}

function rowOf(receipt: Receipt) {
  const { notification_id, attempt_id, provider_id, provider_message_id, status } = receipt
  const { code = null, reason = null, retryable = false } = explainFailure(receipt) ?? {}
  return { id: notification_id, attempt_id, provider_id, provider_message_id, status, code, message: reason, retryable }
}
