import type { Id } from '@notify/contracts'
import { anyOf, defineStatement, type Queries } from '@notify/database'
import { build } from '../../db/schema.ts'
import type { Claim } from './claim-store.ts'

const dueAgain = 'now() + make_interval(secs => gone.after_ms / 1000)'
const isLater = `n.status = 'queued' and gone.after_ms > 0`
/** How many accounts its failover had tried: an ended lease has ended the failover. */
const triedBefore = 'coalesce(gone.tried, n.failovers)'

/** SQL: whether the lease has ended, perhaps during this statement, and the message has waited since then. */
const hasLostLease = `locked.waits and coalesce(a.outcome, 'unknown') = 'unknown' and a.provider_id is null`

/**
 * Removes the attempt, because no carrier was called. Its id identifies it, because the next attempt reuses its number. Rows
 * are locked by id alone: with a condition on `sending`, an old plan could scan the table.
 */
const putBack = defineStatement({
  name: 'put-back-claims',
  text: `
    with unmade as (select * from json_to_recordset($1::json) as t (id text, attempt_id text, tried int, after_ms float8, held boolean, asked boolean, starts_again boolean)),
    locked as (
      select unmade.*, n.attempt_count as number, n.sending,
        n.status = 'queued' and not n.sending and n.round_attempts > 0 as waits
      from notifications n join unmade using (id)
      order by n.id for update of n
    ), gone as (
      delete from attempts a using locked
      where a.notification_id = any(array(select id from locked)) -- by index, also with an old plan
        and a.notification_id = locked.id and a.number = locked.number and a.id = locked.attempt_id
        and (locked.sending and a.finished_at is null or ${hasLostLease})
      returning locked.*
    )
    update notifications n
    set sending = false, attempt_count = n.attempt_count - 1,
        when_due = case when gone.waits then 'send' else n.when_due end,
        failure_reason = case when not gone.waits then n.failure_reason end,
        send_at = case when gone.asked and ${isLater} then ${dueAgain} else n.send_at end,
        held_since = case when gone.held then coalesce(n.held_since, now()) else n.held_since end,
        round_attempts = n.round_attempts - case when ${triedBefore} = 0 then 1 else 0 end,
        failovers = case when gone.starts_again then 0 else ${triedBefore} end,
        next_attempt_at = case when ${isLater} then ${dueAgain} end,
        enqueued_at = case when ${isLater} then ${dueAgain} else least(n.enqueued_at, now()) end
    from gone where n.id = gone.id`,
})

/** A claim to requeue without a call. */
export interface Unmade {
  claim: Pick<Claim, 'id' | 'attempt_id'> & Partial<Pick<Claim, 'tried'>>
  /** When it is due again; 0: now. */
  afterMs: number
  /** Whether HOLD_LIMIT counts from now on, because of an internal error. */
  held?: boolean
  /** Whether the recipient's quiet hours caused the delay, which then does not count as lateness. */
  asked?: boolean
  /** Whether its failover ends: the next attempt may use any provider, and uses a step of the retry schedule. */
  startsAgain?: boolean
}

/** Requeues claims, also one whose lease has ended, unless the message was given up, retried or claimed meanwhile. */
export async function putBackClaims(db: Queries, unmade: readonly Unmade[]): Promise<void> {
  const rows = unmade.map(
    ({ claim: { id, attempt_id, tried }, afterMs, held = false, asked = false, startsAgain = false }) => ({
      id,
      attempt_id,
      tried: tried === null ? 0 : tried?.length,
      after_ms: afterMs,
      held,
      asked,
      starts_again: startsAgain,
    }),
  )
  await db.run(putBack, [JSON.stringify(rows)])
}

/** Requeues all claims of these attempts. */
export async function putBackAttempts(db: Queries, attemptIds: readonly Id<'att'>[]): Promise<void> {
  const underWay = build
    .selectFrom('attempts')
    .select(['notification_id as id', 'id as attempt_id'])
    .where('finished_at', 'is', null)
    .where('id', '=', anyOf(attemptIds))
  const claims = await db.run(underWay)
  await putBackClaims(
    db,
    claims.map((claim) => ({ claim, afterMs: 0 })),
  )
}
