import type { AttemptOutcome, Channel, Lane } from '@notify/contracts'
import type { Database, Statement } from '@notify/database'
import type { Tables } from '../db/schema.ts'
import { factsInto } from '../notifications/fact-sql.ts'

/** A notification that this worker alone may send now, with the attempt that was opened for it. */
export interface Claim {
  id: string
  tenant_id: string
  application_id: string
  channel: Channel
  lane: Lane
  mode: 'live' | 'test'
  payload: Buffer
  attempt_id: string
  attempt_count: number
  round_attempts: number
}

/**
 * The attempt is on record before the carrier is called: a crash in between leaves a trace that the reconciler finds. Rows are
 * locked by their id alone: with the state among the conditions Postgres would walk the whole queue to find a few.
 */
const claim: Statement = {
  name: 'claim-for-sending',
  text: `
    with wanted as (select * from json_to_recordset($1::json) as t (id text, attempt_id text)),
    locked as (
      select * from notifications where id = any (array(select id from wanted)) order by id for update
    ), due as (
      select id, wanted.attempt_id from locked join wanted using (id)
      where status = 'queued' and not sending
        and (next_attempt_at is null or next_attempt_at <= now()) and when_due = 'send'
    ), claimed as (
      update notifications n
      set sending = true, next_attempt_at = null, attempt_count = attempt_count + 1,
          round_attempts = round_attempts + 1, updated_at = now()
      from due where n.id = due.id
      returning n.*, due.attempt_id
    ), opened as (
      insert into attempts (notification_id, number, id, lease_until)
      select id, attempt_count, attempt_id, now() + make_interval(secs => $2) from claimed
    )
    select id, tenant_id, application_id, channel, lane, mode, payload, attempt_id, attempt_count, round_attempts
    from claimed`,
}

/** Claims notifications; those that are not due, or that somebody else is sending, are missing from the answer. */
export function claimForSending(
  db: Database<Tables>,
  wanted: readonly { id: string; attempt_id: string }[],
  leaseSeconds: number,
): Promise<Claim[]> {
  return db.run<Claim>(claim, [JSON.stringify(wanted), leaseSeconds])
}

/** How an attempt ended and what follows from it. */
export interface Settlement {
  notificationId: string
  attemptNumber: number
  providerId: string | null
  outcome: AttemptOutcome
  code: string | null
  message: string | null
  providerMessageId: string | null
  next:
    | { status: 'sent' }
    | { status: 'failed'; reason: string; retryable: boolean }
    /** Stays queued: `send` again after the wait, or `give_up` with this reason unless a callback settles it before. */
    | { status: 'queued'; afterMs: number; whenDue: 'send' | 'give_up'; reason: string | null }
}

/** A receipt may have come before the answer: whatever it set is kept. */
const settle: Statement = {
  name: 'settle-attempts',
  text: `
    with ended as (
      select * from json_to_recordset($1::json) as t (id text, number int, provider_id text, outcome text, code text,
        message text, provider_message_id text, status text, reason text, retryable boolean, after_ms float8, when_due text)
    ), attempt as (
      update attempts a
      set finished_at = now(), provider_id = coalesce(a.provider_id, ended.provider_id),
          outcome = case when a.outcome = 'accepted' then a.outcome else ended.outcome end,
          ambiguous = a.ambiguous or (ended.outcome = 'unknown' and a.outcome is distinct from 'accepted'),
          provider_code = coalesce(a.provider_code, ended.code), provider_message = coalesce(a.provider_message, ended.message),
          provider_message_id = coalesce(a.provider_message_id, ended.provider_message_id)
      from ended where a.notification_id = ended.id and a.number = ended.number
    ), locked as (
      select n.id from notifications n join ended using (id) where n.attempt_count = ended.number order by n.id for update of n
    ), settled as (
      update notifications n
      set sending = false, updated_at = now(),
          status = case when n.status = 'queued' then ended.status else n.status end,
          revision = n.revision + case when n.status = 'queued' and ended.status <> 'queued' then 1 else 0 end,
          failure_reason = case when n.status = 'queued' then ended.reason else n.failure_reason end,
          retryable = case when n.status = 'queued' then ended.retryable else n.retryable end,
          next_attempt_at = case when n.status = 'queued' and ended.status = 'queued'
            then now() + make_interval(secs => ended.after_ms / 1000) end,
          when_due = case when n.status = 'queued' then ended.when_due else 'send' end
      from ended join locked using (id) where n.id = ended.id
      returning n.*, ended.status as wanted_status, old.status as old_status
    ), changed as (select * from settled where status <> old_status)
    ${factsInto('changed')}`,
}

/** Records how attempts ended; facts go out for those whose state changed. */
export async function settleAttempts(db: Database<Tables>, settlements: readonly Settlement[]): Promise<void> {
  await db.run(settle, [JSON.stringify(settlements.map(rowOf))])
}

function rowOf({
  notificationId,
  attemptNumber,
  providerId,
  outcome,
  code,
  message,
  providerMessageId,
  next,
}: Settlement) {
  return {
    id: notificationId,
    number: attemptNumber,
    provider_id: providerId,
    outcome,
    code,
    message: message?.slice(0, 500),
    provider_message_id: providerMessageId,
    status: next.status,
    reason: 'reason' in next ? next.reason : null,
    retryable: next.status === 'failed' && next.retryable,
    after_ms: next.status === 'queued' ? next.afterMs : 0,
    when_due: next.status === 'queued' ? next.whenDue : 'send',
  }
}
