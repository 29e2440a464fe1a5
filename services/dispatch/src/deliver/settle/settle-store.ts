import type { AttemptOutcome } from '@notify/contracts'
import { column, defineStatement, erasedText, type Queries } from '@notify/database'
import type { Latency } from '../../metrics.ts'
import { reportedFactsInto } from '../../outcome/facts/fact-sql.ts'
import { latenciesSql } from '../../outcome/facts/latency-sql.ts'
import { type NextStep, unknownReason } from './decide-next.ts'

/** The end of an attempt and its consequence. */
export interface Settlement {
  notificationId: string
  attemptNumber: number
  attemptId: string
  /** Whether the lease has expired without an answer: then the settlement counts only if the attempt is still open. */
  leaseExpired: boolean
  providerId: string | null
  outcome: AttemptOutcome
  code: string | null
  message: string | null
  providerMessageId: string | null
  next: NextStep
}

/** SQL: whether the message was given up for want of an answer, and its worker, which stood still, has one after all. */
const isAnsweredLate = `n.status = 'failed' and n.failure_reason = '${unknownReason}' and ended.outcome = 'accepted'`

/**
 * `current`: this is the notification's latest attempt. After an operator's retry, until its first attempt (`round_attempts`
 * 0), the answer to an earlier attempt does not count.
 */
const locked = `
  select ended.*, n.status = 'queued' or ${isAnsweredLate} as undecided,
    n.attempt_count = ended.number and n.round_attempts > 0 as current, n.recipient_index = '${erasedText}' as erased
  from notifications n join ended using (id) order by n.id for update of n`

/** A receipt may arrive before the carrier's response; then its values are kept. */
const closeAttempts = `
  update attempts a
  set finished_at = now(), provider_id = coalesce(a.provider_id, locked.provider_id),
      outcome = case when a.outcome = 'accepted' then a.outcome else locked.outcome end,
      ambiguous = a.ambiguous or (locked.outcome = 'unknown' and a.outcome is distinct from 'accepted'),
      provider_code = case when a.outcome = 'accepted' then a.provider_code else locked.code end,
      provider_message = case when locked.erased or a.outcome = 'accepted' then a.provider_message else locked.message end,
      provider_message_id = coalesce(a.provider_message_id, case when not locked.erased then locked.provider_message_id end)
  from locked
  where a.notification_id = locked.id and a.number = locked.number and a.id = locked.attempt_id
    and (a.finished_at is null or not locked.lease_expired)
  returning locked.*`

const dueAgain = 'now() + make_interval(secs => closed.after_ms / 1000)'
/** A failover is due at once and keeps its position in its queue. */
const isLater = `closed.status = 'queued' and (closed.after_ms > 0 or closed.when_due = 'give_up')`

/** Kept in a sent message: then the fact of its delivery is sent after that of its failure. */
const givenUp = `'give_up'`

/**
 * A failover uses a step of the retry schedule only after an unknown outcome, so that the steps bound possible duplicates.
 * `n.sending` is false if this settlement was written before, so it counts once.
 */
const takeNextStep = `
  update notifications n
  set sending = false, held_since = null, updated_at = now(), status = closed.status, failure_reason = closed.reason,
      retryable = closed.retryable, when_due = case when n.status = 'failed' then ${givenUp} else closed.when_due end,
      revision = n.revision + case when closed.status = 'queued' then 0 else 1 end,
      next_attempt_at = case when ${isLater} then ${dueAgain} end,
      enqueued_at = case when ${isLater} then ${dueAgain} else n.enqueued_at end,
      failovers = case when closed.fails_over then n.failovers + n.sending::int else 0 end,
      round_attempts = n.round_attempts + case when closed.fails_over and closed.outcome = 'unknown' then n.sending::int else 0 end
  from closed where n.id = closed.id and closed.current and closed.undecided
  returning n.*, old.status as old_status, old.when_due as old_when_due`

/** The state stays: a receipt has decided it, or the schedule has ended the message and this is no acceptance. */
const keepDecided = `
  update notifications n
  set sending = false, held_since = null, updated_at = now(), next_attempt_at = null, failovers = 0
  from closed where n.id = closed.id and closed.current and not closed.undecided`

const settle = defineStatement({
  name: 'settle-attempts',
  text: `
    with ended as (
      select * from json_to_recordset($1::json) as t (id text, number int, attempt_id text, lease_expired boolean,
        provider_id text, outcome text, code text, message text, provider_message_id text, status text, reason text,
        retryable boolean, after_ms float8, when_due text, fails_over boolean)
    ), locked as (${locked}),
    closed as (${closeAttempts}),
    decided as (${keepDecided}),
    moved as (${takeNextStep}),
    changed as (select * from moved where status <> 'queued'),
    facts as (${reportedFactsInto('changed')})
    select count(*)::int as closed, (${latenciesSql('changed')}) as latencies from closed`,
  columns: { closed: column.integer(), latencies: column.json<Latency[]>() },
})

/**
 * Records how attempts ended, and enqueues the facts of changed states. Idempotent.
 * @returns how many attempts it closed, and the latencies of the changed notifications
 */
export async function settleAttempts(db: Queries, settlements: readonly Settlement[]) {
  const [row] = await db.run(settle, [JSON.stringify(settlements.map(rowOf))])
  return row!
}

function rowOf({ notificationId, attemptNumber, next, ...rest }: Settlement) {
  return {
    id: notificationId,
    number: attemptNumber,
    attempt_id: rest.attemptId,
    lease_expired: rest.leaseExpired,
    provider_id: rest.providerId,
    outcome: rest.outcome,
    code: rest.code,
    message: rest.message,
    provider_message_id: rest.providerMessageId,
    status: next.status,
    reason: 'reason' in next ? next.reason : null,
    retryable: next.status === 'failed' && next.retryable,
    after_ms: next.status === 'queued' ? next.afterMs : 0,
    when_due: next.status === 'queued' ? next.whenDue : 'send',
    fails_over: next.status === 'queued' && next.failsOver,
  }
}
