import type { AttemptOutcome, Channel, Lane } from '@notify/contracts'
import type { Database, Statement } from '@notify/database'
import type { Tables } from '../db/schema.ts'
import { factsInto } from '../notifications/fact-sql.ts'
import { suppressedBecause } from '../suppressions/suppressed-because.ts'

/** A notification that this worker alone may send now, with the attempt that was opened for it. */
export interface Claim {
  id: string
  tenant_id: string
  application_id: string
  channel: Channel
  lane: Lane
  mode: 'live' | 'test'
  recipient_masked: string
  recipient_index: string
  payload: Buffer
  attempt_id: string
  attempt_count: number
  round_attempts: number
  /** Providers that this attempt makes up for; null when it begins anew with any of them. */
  tried: (string | null)[] | null
  /** How long it has been put back for want of a provider that may be called. */
  held_ms: number
}

/**
 * The attempt is on record before the carrier is called: a crash in between leaves a trace that the reconciler finds. Rows are
 * locked by their id alone: with the state among the conditions Postgres would walk the whole queue to find a few. Whoever was
 * suppressed since the acceptance is not written to: that is the last moment at which it can be seen without asking again.
 * Lines go from step to step whole: joined with the input once more, Postgres would compare all with all.
 */
const claim: Statement = {
  name: 'claim-for-sending',
  text: `
    with wanted as (select * from json_to_recordset($1::json) as t (id text, attempt_id text)),
    locked as (
      select n.id, n.tenant_id, n.channel, n.mode, n.recipient_index, n.status, n.sending, n.next_attempt_at, n.when_due, attempt_id
      from notifications n join wanted using (id) order by n.id for update of n
    ), due as (
      select id, attempt_id, ${suppressedBecause('locked')} as suppressed from locked
      where status = 'queued' and not sending
        and (next_attempt_at is null or next_attempt_at <= now()) and when_due = 'send'
    ), refused as (
      update notifications n
      set status = 'failed', revision = revision + 1, retryable = false, next_attempt_at = null, failovers = 0,
          failure_reason = 'recipient_suppressed: nothing is sent to this recipient any more (' || due.suppressed || ')',
          updated_at = now()
      from due where n.id = due.id and due.suppressed is not null
      returning n.*
    ), facts as (${factsInto('refused')}),
    claimed as (
      update notifications n
      set sending = true, next_attempt_at = null, attempt_count = attempt_count + 1,
          round_attempts = round_attempts + case when failovers = 0 then 1 else 0 end, updated_at = now()
      from due where n.id = due.id and due.suppressed is null
      returning n.*, due.attempt_id
    ), opened as (
      insert into attempts (notification_id, number, id, lease_until)
      select id, attempt_count, attempt_id, now() + make_interval(secs => $2) from claimed
    )
    select id, tenant_id, application_id, channel, lane, mode, recipient_masked, recipient_index, payload, attempt_id,
      attempt_count, round_attempts, coalesce(extract(epoch from now() - held_since) * 1000, 0)::float8 as held_ms,
      case when failovers > 0 then array(
        select provider_id from attempts a
        where a.notification_id = claimed.id and a.number between attempt_count - failovers and attempt_count - 1
      ) end as tried
    from claimed`,
}

/**
 * Claims notifications; those that are not due, that somebody else is sending, or whose recipient is suppressed, are missing
 * from the answer.
 */
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
    /**
     * Stays queued: `send` again after the wait, or `give_up` with this reason unless a callback settles it before. `failsOver`:
     * the next attempt is made with a provider that was not tried yet.
     */
    | { status: 'queued'; afterMs: number; whenDue: 'send' | 'give_up'; reason: string | null; failsOver: boolean }
}

/**
 * A receipt may have come before the answer: whatever it set is kept. An attempt that another provider makes up for takes no
 * place in the retry schedule, unless its outcome is unknown: so often something may be sent twice, and no more. While an
 * operator's retry waits for its first attempt the answer to an earlier one says nothing of it.
 */
const settle: Statement = {
  name: 'settle-attempts',
  text: `
    with ended as (
      select * from json_to_recordset($1::json) as t (id text, number int, provider_id text, outcome text, code text,
        message text, provider_message_id text, status text, reason text, retryable boolean, after_ms float8, when_due text,
        fails_over boolean)
    ), attempt as (
      update attempts a
      set finished_at = now(), provider_id = coalesce(a.provider_id, ended.provider_id),
          outcome = case when a.outcome = 'accepted' then a.outcome else ended.outcome end,
          ambiguous = a.ambiguous or (ended.outcome = 'unknown' and a.outcome is distinct from 'accepted'),
          provider_code = case when a.outcome = 'accepted' then a.provider_code else ended.code end,
          provider_message = case when a.outcome = 'accepted' then a.provider_message else ended.message end,
          provider_message_id = coalesce(a.provider_message_id, ended.provider_message_id)
      from ended where a.notification_id = ended.id and a.number = ended.number
    ), own as (
      select ended.* from notifications n join ended using (id)
      where n.attempt_count = ended.number and n.round_attempts > 0 order by n.id for update of n
    ), settled as (
      update notifications n
      set sending = false, held_since = null, updated_at = now(),
          status = case when n.status = 'queued' then ended.status else n.status end,
          revision = n.revision + case when n.status = 'queued' and ended.status <> 'queued' then 1 else 0 end,
          failure_reason = case when n.status = 'queued' then ended.reason else n.failure_reason end,
          retryable = case when n.status = 'queued' then ended.retryable else n.retryable end,
          next_attempt_at = case when n.status = 'queued' and ended.status = 'queued'
            then now() + make_interval(secs => ended.after_ms / 1000) end,
          when_due = case when n.status = 'queued' then ended.when_due else 'send' end,
          failovers = case when ended.fails_over then n.failovers + n.sending::int else 0 end,
          round_attempts = n.round_attempts
            + case when ended.fails_over and ended.outcome = 'unknown' then n.sending::int else 0 end
      from own as ended where n.id = ended.id
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
    message,
    provider_message_id: providerMessageId,
    status: next.status,
    reason: 'reason' in next ? next.reason : null,
    retryable: next.status === 'failed' && next.retryable,
    after_ms: next.status === 'queued' ? next.afterMs : 0,
    when_due: next.status === 'queued' ? next.whenDue : 'send',
    fails_over: next.status === 'queued' && next.failsOver,
  }
}

/**
 * The attempt never called a carrier: it leaves no trace, and takes no place in the retry schedule. The next one bears its
 * number again, so it is known by its id: put back twice it takes nothing from whoever claimed the message in between.
 */
const putBack: Statement = {
  name: 'put-back-claims',
  text: `
    with unmade as (select * from json_to_recordset($1::json) as t (id text, attempt_id text, after_ms float8, held boolean)),
    locked as (
      select n.id, a.number, unmade.attempt_id, unmade.after_ms, unmade.held from notifications n join unmade using (id)
      join attempts a on a.notification_id = n.id and a.id = unmade.attempt_id
      where n.attempt_count = a.number and n.sending order by n.id for update of n
    ), gone as (
      delete from attempts a using locked
      where a.notification_id = locked.id and a.number = locked.number and a.id = locked.attempt_id and a.finished_at is null
      returning locked.*
    )
    update notifications n
    set sending = false, attempt_count = n.attempt_count - 1,
        held_since = case when gone.held then coalesce(n.held_since, now()) else n.held_since end,
        round_attempts = n.round_attempts - case when n.failovers = 0 then 1 else 0 end,
        next_attempt_at = case when n.status = 'queued' then now() + make_interval(secs => gone.after_ms / 1000) end
    from gone where n.id = gone.id`,
}

/** A claim that is given back before the carrier was called, and when it is due again. */
export interface Unmade {
  claim: Pick<Claim, 'id' | 'attempt_id'>
  afterMs: number
  /** Whether no provider may be called. */
  held?: boolean
}

/** Puts claims back into the queue; the scheduler takes them up when they are due. What was never claimed stays as it is. */
export async function putBackClaims(db: Database<Tables>, unmade: readonly Unmade[]): Promise<void> {
  await db.run(putBack, [
    JSON.stringify(
      unmade.map(({ claim: { id, attempt_id }, afterMs, held = false }) => ({
        id,
        attempt_id,
        after_ms: afterMs,
        held,
      })),
    ),
  ])
}
