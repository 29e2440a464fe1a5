import type { KeyMode } from '@notify/contracts'
import { claimDueSql, type Queries, type Run, type Statement } from '@notify/database'
import { factsInto } from '../transactions/fact-sql.ts'

/** AAD of an encrypted request. */
export const requestAad = (tenantId: string, notificationId: string) => `messages|${tenantId}|${notificationId}`

/** A message as it is handed to dispatch. */
export interface Message {
  notification_id: `notif_${string}`
  transaction_id: `otp_${string}`
  tenant_id: `ten_${string}`
  application_id: `app_${string}`
  mode: KeyMode
  /** Null once dispatch has answered. */
  request: Buffer | null
  refusal: string | null
  expires_at: Date
  expires_in_ms: number
  traceparent: string | null
}

const columns = (message: string) => `${message}.notification_id, ${message}.transaction_id, ${message}.tenant_id,
  t.application_id, ${message}.mode, ${message}.request, ${message}.refusal, ${message}.expires_at,
  (extract(epoch from ${message}.expires_at - clock_timestamp()) * 1000)::float8 as expires_in_ms, t.traceparent`

const find: Statement = {
  name: 'find-message',
  text: `select ${columns('m')} from messages m join transactions t on t.id = m.transaction_id where m.notification_id = $1`,
}

export async function findMessage(run: Run, notificationId: string): Promise<Message | undefined> {
  return (await run<Message>(find, [notificationId]))[0]
}

const batch = 100
const leaseMs = 10_000

const claim: Statement = {
  name: 'claim-messages',
  text: `${claimDueSql(
    { table: 'messages', key: ['notification_id'], due: 'due_at', where: 'expires_at > now()' },
    { limit: batch, leaseMs },
  )}
    select ${columns('claimed')} from claimed join transactions t on t.id = claimed.transaction_id`,
}

/** Claims messages that their requests have not handed over in time. */
export function claimMessages(db: Queries): Promise<Message[]> {
  return db.run<Message>(claim)
}

const settle = (name: string, { refusal, change }: { refusal: string; change: string }): Statement => ({
  name,
  text: `
    with settled as (
      update messages set request = null, due_at = null, refusal = ${refusal}
      where notification_id = $1 and request is not null
      returning notification_id, transaction_id
    ), changed as (
      update transactions t set ${change}, revision = t.revision + 1, updated_at = clock_timestamp()
      from settled where t.id = settled.transaction_id and t.notification_id = settled.notification_id
        and t.status = 'pending'
      returning t.*
    ), facts as (${factsInto('changed')})
    select id from changed`,
})

const accepted = settle('settle-accepted', { refusal: 'null', change: `status = 'sent'` })

/** Marks a message as committed by dispatch, and erases its request. */
export async function settleAccepted(run: Run, notificationId: string): Promise<void> {
  await run(accepted, [notificationId])
}

const refused = settle('settle-refused', {
  refusal: '$2',
  change: `status = 'failed', failure_reason = $2, code_proof = null, recipient = null`,
})

/** Marks a message as refused by dispatch. Its code was never sent and no longer verifies. */
export async function settleRefused(run: Run, notificationId: string, code: string): Promise<void> {
  await run(refused, [notificationId, code])
}
