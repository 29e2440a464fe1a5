import type { Id, KeyMode, OtpChannel } from '@notify/contracts'
import { defineStatement, type Run } from '@notify/database'
import { handOverTime, type NewMessage } from './transaction-store.ts'

export interface NewTransaction extends NewMessage {
  id: Id<'otp'>
  tenantId: Id<'ten'>
  applicationId: Id<'app'>
  mode: KeyMode
  channel: OtpChannel
  recipient: Buffer
  recipientMasked: string
  recipientIndex: string
  prefix: string | null
  language: string | null
  length: number
  isCustom: boolean
  ttlSeconds: number
  traceparent: string
}

const begin = defineStatement({
  name: 'begin-transaction',
  text: `
    with made as (
      insert into transactions (id, tenant_id, application_id, mode, channel, recipient, recipient_masked, recipient_index,
        prefix, language, length, ttl_seconds, code_proof, notification_id, traceparent, is_custom, expires_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12::int, $13, $14, $15, $17,
        clock_timestamp() + $12::int * interval '1 second')
      returning *
    )
    insert into messages (notification_id, transaction_id, tenant_id, mode, recipient_index, request, due_at, expires_at)
    select notification_id, id, tenant_id, mode, recipient_index, $16, clock_timestamp() + ${handOverTime}, expires_at from made`,
})

/** Writes a transaction with the message of its code. */
export async function beginTransaction(run: Run, made: NewTransaction): Promise<void> {
  const { id, tenantId, applicationId, mode, channel, recipient, recipientMasked, recipientIndex } = made
  const { prefix, language, length, ttlSeconds, codeProof, notificationId, traceparent, request, isCustom } = made
  await run(begin, [
    ...[id, tenantId, applicationId, mode, channel, recipient, recipientMasked, recipientIndex],
    ...[prefix, language, length, ttlSeconds, codeProof, notificationId, traceparent, request, isCustom],
  ])
}
