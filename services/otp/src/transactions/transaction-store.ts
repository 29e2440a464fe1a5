import type { KeyMode, OtpChannel } from '@notify/contracts'
import type { Run, Statement } from '@notify/database'
import type { Selectable } from 'kysely'
import type { Tables } from '../db/schema.ts'
import { mostAttempts } from './try-store.ts'

export type TransactionRow = Selectable<Tables['transactions']>

/** Where a recipient's ciphertext belongs. */
export const recipientPlace = (tenantId: string, id: string) => `transactions|${tenantId}|${id}`

/** The most codes to one recipient in the window, from all applications of a tenant. */
const mostSends = 5
const sendWindowSeconds = 600
/** Further codes of a transaction. */
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

/** Those who send to one recipient take turns until their transaction ends, so that none is counted twice or not at all. */
const takeTurn: Statement = {
  name: 'take-turn-at-recipient',
  text: `select pg_advisory_xact_lock(hashtextextended('otp recipient ' || $1 || ' ' || $2 || ' ' || $3, 0))`,
}

const countSends: Statement = {
  name: 'count-sends-to-recipient',
  text: `select count(*)::int as sends,
           ceil(extract(epoch from min(created_at) + interval '${sendWindowSeconds} seconds' - clock_timestamp()))::int as free_in
         from (select created_at from messages
           where tenant_id = $1 and recipient_index = $2 and mode = $3 and refusal is null
             and created_at > clock_timestamp() - interval '${sendWindowSeconds} seconds'
           order by created_at desc limit ${mostSends}) as latest`,
}

interface RecipientOf {
  tenantId: string
  recipientIndex: string
  mode: KeyMode
}

/**
 * Takes the recipient's place in line, and counts what it was sent lately; the transaction must then write at once.
 * @returns seconds until one more may be sent; 0 when it may be sent now
 */
export async function waitOfRecipient(run: Run, recipient: RecipientOf): Promise<number> {
  const values = [recipient.tenantId, recipient.recipientIndex, recipient.mode]
  await run(takeTurn, values)
  const [row] = await run<{ sends: number; free_in: number | null }>(countSends, values)
  return row && row.sends >= mostSends ? Math.max(1, row.free_in ?? 1) : 0
}

/** How long the request that wrote a message has for handing it over, before others may. */
const ownTurn = `interval '10 seconds'`

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
    select notification_id, id, tenant_id, mode, recipient_index, $16, clock_timestamp() + ${ownTurn}, expires_at from made`,
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

/** What a transaction must be for another code to be sent. */
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
    select notification_id, id, tenant_id, mode, recipient_index, $5, clock_timestamp() + ${ownTurn}, expires_at from renewed
    returning notification_id`,
}

/**
 * Replaces the code of a transaction; the earlier one is dead, and is not handed over any more.
 * @param current message of the code that is replaced
 * @returns whether it was: not when something else has happened to the transaction meanwhile
 */
export async function renewTransaction(
  run: Run,
  { id, current, traceparent, ...made }: NewMessage & { id: string; current: string; traceparent: string },
): Promise<boolean> {
  const { codeProof, notificationId, request } = made
  return (await run(renew, [id, current, codeProof, notificationId, request, traceparent])).length > 0
}

/** A transaction as one caller sees it: those of other applications, and of the other mode, do not exist. */
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
