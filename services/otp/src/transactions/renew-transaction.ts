import type { Id } from '@notify/contracts'
import { defineStatement, pick, type Run } from '@notify/database'
import { tables } from '../db/schema.ts'
import { handOverTime, mostResends, type NewMessage } from './transaction-store.ts'
import { mostAttempts } from './try-codes.ts'

/** Condition for sending another code. */
const isOpen = `code_proof is not null and verified_at is null and attempts < ${mostAttempts} and expires_at > now()
  and recipient is not null`

const renew = defineStatement({
  name: 'renew-transaction',
  text: `
    with renewed as (
      update transactions set code_proof = $3,
        -- A code without an answer of dispatch may never have been sent, so the one before it is kept.
        replaced = case when status = 'pending' then replaced else jsonb_build_object('code_proof', code_proof,
          'notification_id', notification_id, 'status', status, 'failure_reason', failure_reason,
          'expires_at', expires_at) end,
        notification_id = $4, status = 'pending', failure_reason = null,
        resends = resends + 1, revision = revision + 1, updated_at = clock_timestamp(),
        expires_at = clock_timestamp() + ttl_seconds * interval '1 second', traceparent = $6
      where id = $1 and notification_id = $2 and resends < ${mostResends} and ${isOpen}
      returning *
    ), dropped as (
      update messages set request = null, due_at = null where notification_id = $2 and exists (select from renewed)
    )
    insert into messages (notification_id, transaction_id, tenant_id, mode, recipient_index, request, due_at, expires_at)
    select notification_id, id, tenant_id, mode, recipient_index, $5, clock_timestamp() + ${handOverTime}, expires_at from renewed
    returning notification_id`,
  columns: pick(tables.messages, 'notification_id'),
})

/**
 * Replaces the code of a transaction. The earlier code no longer verifies, unless dispatch refuses this one, and its message is
 * not handed over.
 * @param current message of the code to replace
 * @returns false when the transaction has changed meanwhile
 */
export async function renewTransaction(
  run: Run,
  { id, current, traceparent, ...made }: NewMessage & { id: Id<'otp'>; current: Id<'notif'>; traceparent: string },
): Promise<boolean> {
  const { codeProof, notificationId, request } = made
  return (await run(renew, [id, current, codeProof, notificationId, request, traceparent])).length > 0
}
