import type { Id } from '@notify/contracts'
import { defineStatements, pick, type Run } from '@notify/database'
import { tables } from '../db/schema.ts'
import { factsInto } from '../transactions/fact-sql.ts'

/** The changes of the message, and of its transaction, by dispatch's answer. */
const changes = {
  accepted: { refusal: 'null', transaction: `status = 'sent', replaced = null` },
  refused: {
    refusal: '$2',
    transaction: `replaced = null, code_proof = t.replaced->>'code_proof',
          notification_id = coalesce(t.replaced->>'notification_id', t.notification_id),
          expires_at = coalesce((t.replaced->>'expires_at')::timestamptz, t.expires_at),
          status = coalesce(t.replaced->>'status', 'failed'),
          failure_reason = case when t.replaced is null then $2 else t.replaced->>'failure_reason' end,
          recipient = case when t.replaced is not null then t.recipient end,
          resends = t.resends - (t.replaced is not null)::int`,
  },
}

const settle = defineStatements(
  (answer: keyof typeof changes) => ({
    name: `settle-${answer}`,
    text: `
      with settled as (
        update messages set request = null, due_at = null, refusal = ${changes[answer].refusal}
        where notification_id = $1 and request is not null
        returning notification_id, transaction_id
      ), changed as (
        update transactions t set ${changes[answer].transaction}, revision = t.revision + 1, updated_at = clock_timestamp()
        from settled where t.id = settled.transaction_id and t.notification_id = settled.notification_id
          and t.status = 'pending'
        returning t.*
      ), facts as (${factsInto('changed')})
      select id from changed`,
    columns: pick(tables.transactions, 'id'),
  }),
  'accepted',
  'refused',
)

/** Marks a message as committed by dispatch, and erases its request. */
export async function settleAccepted(run: Run, notificationId: Id<'notif'>): Promise<void> {
  await run(settle('accepted'), [notificationId])
}

/** Marks a message as refused by dispatch. Its code was never sent: the code that it replaced, if any, verifies again. */
export async function settleRefused(run: Run, notificationId: Id<'notif'>, code: string): Promise<void> {
  await run(settle('refused'), [notificationId, code])
}
