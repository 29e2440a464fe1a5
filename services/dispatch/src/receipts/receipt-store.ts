import type { Receipt } from '@notify/contracts'
import type { Database, Statement } from '@notify/database'
import { describeCode, isPermanentCode } from '../carriers/twilio-codes.ts'
import type { Tables } from '../db/schema.ts'
import { factsInto } from '../notifications/fact-sql.ts'

/** SQL for the rank of a state: a receipt never lowers it. */
const rankOf = (column: string) => `case ${column} when 'queued' then 0 when 'sent' then 1 else 2 end`

/**
 * A receipt counts only for notifications of the tenant whose account signed it: the correlation in a callback's address is
 * the carrier account's word. `delivered` wins whatever the attempt; other receipts move the latest attempt only, and only up: none of them while an
 * operator's retry waits for an attempt of its own. A receipt also settles an attempt whose outcome was unknown.
 */
const apply: Statement = {
  name: 'apply-receipts',
  text: `
    with receipt as (
      select * from json_to_recordset($1::json) as t (id text, attempt_id text, provider_id text, provider_message_id text,
        status text, code text, reason text, retryable boolean)
    ), locked as (
      select n.id from notifications n join receipt using (id)
      join providers p on p.id = receipt.provider_id and p.tenant_id = n.tenant_id
      order by n.id for update of n
    ), attempt as (
      update attempts a
      set outcome = 'accepted', finished_at = coalesce(a.finished_at, now()),
          provider_id = coalesce(a.provider_id, receipt.provider_id),
          provider_message_id = coalesce(a.provider_message_id, receipt.provider_message_id),
          provider_code = coalesce(receipt.code, case when a.outcome = 'accepted' then a.provider_code end),
          provider_message = coalesce(receipt.reason, case when a.outcome = 'accepted' then a.provider_message end)
      from receipt join locked using (id)
      where a.notification_id = receipt.id and a.id = receipt.attempt_id
      returning a.notification_id as id, a.number
    ), changed as (
      update notifications n
      set status = receipt.status, revision = n.revision + 1, updated_at = now(), next_attempt_at = null, when_due = 'send',
          sending = n.sending and attempt.number <> n.attempt_count,
          failure_reason = receipt.reason, retryable = receipt.retryable
      from receipt join attempt using (id)
      where n.id = receipt.id and (
        (receipt.status = 'delivered' and n.status <> 'delivered')
        or (attempt.number = n.attempt_count and n.round_attempts > 0 and ${rankOf('receipt.status')} > ${rankOf('n.status')}))
      returning n.*
    ), facts as (${factsInto('changed')})
    select id from changed`,
}

/** Applies receipts, at most one for each notification. @returns the notifications whose state changed */
export async function applyReceipts(db: Database<Tables>, receipts: readonly Receipt[]): Promise<Set<string>> {
  const rows = await db.run<{ id: string }>(apply, [JSON.stringify(receipts.map(rowOf))])
  return new Set(rows.map(({ id }) => id))
}

function rowOf({ notification_id, attempt_id, provider_id, provider_message_id, status, error_code }: Receipt) {
  const failed = status === 'failed' || status === 'undelivered'
  return {
    id: notification_id,
    attempt_id,
    provider_id,
    provider_message_id,
    status,
    code: failed ? error_code : null,
    reason: failed ? describeCode(error_code) : null,
    retryable: failed && !isPermanentCode(error_code),
  }
}
