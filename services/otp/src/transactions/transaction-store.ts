import type { KeyMode, OtpChannel } from '@notify/contracts'
import type { Run, Statement } from '@notify/database'
import type { Selectable } from 'kysely'
import type { Tables } from '../db/schema.ts'
import { mostAttempts } from './try-store.ts'

export type TransactionRow = Selectable<Tables['transactions']>

/** AAD of an encrypted recipient. */
export const recipientAad = (tenantId: string, id: string) => `transactions|${tenantId}|${id}`

/** Most further codes of a transaction. */
export const mostResends = 3

/** A message that carries a code. */
export interface NewMessage {
  notificationId: string
  request: Buffer
  codeProof: string
}

export interface NewTransaction extends NewMessage {
  id: string
  tenantId: string
  applicationId: string
  mode: KeyMode
  channel: OtpChannel
  recipient: Buffer
  recipientMasked: string
  recipientIndex: string
  prefix: string | null
  language: string | null
  length: number
  ttlSeconds: number
  traceparent: string
}

/** How long the scheduler leaves a message to the request that wrote it. */
const ownLoopTurn = `interval '10 seconds'`

const begin: Statement = {
  name: 'begin-transaction',
  text: `
    with made as (
      insert into transactions (id, tenant_id, application_id, mode, channel, recipient, recipient_masked, recipient_index,
        prefix, language, length, ttl_seconds, code_proof, notification_id, traceparent, expires_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12::int, $13, $14, $15,
        clock_timestamp() + $12::int * interval '1 second')
      returning *
    )
    insert into messages (notification_id, transaction_id, tenant_id, mode, recipient_index, request, due_at, expires_at)
    select notification_id, id, tenant_id, mode, recipient_index, $16, clock_timestamp() + ${ownLoopTurn}, expires_at from made`,
}

/** Writes a transaction with the message of its code. */
export async function beginTransaction(run: Run, made: NewTransaction): Promise<void> {
  const { id, tenantId, applicationId, mode, channel, recipient, recipientMasked, recipientIndex } = made
  const { prefix, language, length, ttlSeconds, codeProof, notificationId, traceparent, request } = made
  await run(begin, [
    ...[id, tenantId, applicationId, mode, channel, recipient, recipientMasked, recipientIndex],
    ...[prefix, language, length, ttlSeconds, codeProof, notificationId, traceparent, request],
  ])
}

/** Condition for sending another code. */
const isOpen = `code_proof is not null and verified_at is null and attempts < ${mostAttempts} and expires_at > now()
  and recipient is not null`

const renew: Statement = {
  name: 'renew-transaction',
  text: `
    with renewed as (
      update transactions set code_proof = $3, notification_id = $4, status = 'pending', failure_reason = null,
        resends = resends + 1, revision = revision + 1, updated_at = clock_timestamp(),
        expires_at = clock_timestamp() + ttl_seconds * interval '1 second', traceparent = $6
      where id = $1 and notification_id = $2 and resends < ${mostResends} and ${isOpen}
      returning *
    ), dropped as (
      update messages set request = null, due_at = null where notification_id = $2 and exists (select from renewed)
    )
    insert into messages (notification_id, transaction_id, tenant_id, mode, recipient_index, request, due_at, expires_at)
    select notification_id, id, tenant_id, mode, recipient_index, $5, clock_timestamp() + ${ownLoopTurn}, expires_at from renewed
    returning notification_id`,
}

/**
 * Replaces the code of a transaction. The earlier code no longer verifies, and its message is not handed over.
 * @param current message of the code to replace
 * @returns false when the transaction has changed meanwhile
 */
export async function renewTransaction(
  run: Run,
  { id, current, traceparent, ...made }: NewMessage & { id: string; current: string; traceparent: string },
): Promise<boolean> {
  const { codeProof, notificationId, request } = made
  return (await run(renew, [id, current, codeProof, notificationId, request, traceparent])).length > 0
}

/** Finds a transaction of the caller's application and mode. */
export async function findTransaction(
  run: Run,
  id: string,
  { application_id, mode }: { application_id: string; mode: KeyMode },
): Promise<(TransactionRow & { is_expired: boolean }) | undefined> {
  const found = await run<TransactionRow & { is_expired: boolean }>(
    {
      name: 'find-transaction',
      text: `select *, expires_at <= now() as is_expired from transactions
             where id = $1 and application_id = $2 and mode = $3 and code_proof is not null`,
    },
    [id, application_id, mode],
  )
  return found[0]
}
