import type { Id } from '@notify/contracts'
import { defineStatements, pick, type Run } from '@notify/database'
import { tables } from '../db/schema.ts'
import { factsInto } from '../transactions/fact-sql.ts'

/** The changes of the message, and of its transaction, by dispatch's answer. */
const changes = {
  accepted: { refusal: 'null', transaction: `status = 'sent'` },
  refused: {
    refusal: '$2',
    transaction: `status = 'failed', failure_reason = $2, code_proof = null, recipient = null`,
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

/** Marks a message as refused by dispatch. Its code was never sent and no longer verifies. */
export async function settleRefused(run: Run, notificationId: Id<'notif'>, code: string): Promise<void> {
  await run(settle('refused'), [notificationId, code])
}
