import type { Id } from '@notify/contracts'
import { anyOf, defineStatement, type Queries } from '@notify/database'
import { build } from '../../db/schema.ts'
import type { Claim } from './claim-store.ts'

const dueAgain = 'now() + make_interval(secs => gone.after_ms / 1000)'
const isLater = `n.status = 'queued' and gone.after_ms > 0`

/**
 * Removes the attempt, because no carrier was called. Its id identifies it, because the next attempt reuses its number. Rows
 * are locked by id alone: with a condition on `sending`, an old plan could scan the table.
 */
const putBack = defineStatement({
  name: 'put-back-claims',
  text: `
    with unmade as (select * from json_to_recordset($1::json) as t (id text, attempt_id text, after_ms float8, held boolean, asked boolean, starts_again boolean)),
    locked as (
      select unmade.*, n.attempt_count as number, n.sending from notifications n join unmade using (id)
      order by n.id for update of n
    ), gone as (
      delete from attempts a using locked
      where locked.sending and a.notification_id = locked.id and a.number = locked.number and a.id = locked.attempt_id
        and a.finished_at is null
      returning locked.*
    )
    update notifications n
    set sending = false, attempt_count = n.attempt_count - 1,
        send_at = case when gone.asked and ${isLater} then ${dueAgain} else n.send_at end,
        held_since = case when gone.held then coalesce(n.held_since, now()) else n.held_since end,
        round_attempts = n.round_attempts - case when n.failovers = 0 then 1 else 0 end,
        failovers = case when gone.starts_again then 0 else n.failovers end,
        next_attempt_at = case when ${isLater} then ${dueAgain} end,
        enqueued_at = case when ${isLater} then ${dueAgain} else n.enqueued_at end
    from gone where n.id = gone.id`,
})

/** A claim to requeue without a call. */
export interface Unmade {
  claim: Pick<Claim, 'id' | 'attempt_id'>
  /** When it is due again; 0: now. */
  afterMs: number
  /** Whether HOLD_LIMIT counts from now on, because of an internal error. */
  held?: boolean
  /** Whether the recipient's quiet hours caused the delay, which then does not count as lateness. */
  asked?: boolean
  /** Whether its failover ends: the next attempt may use any provider, and uses a step of the retry schedule. */
  startsAgain?: boolean
}

/** Requeues claims. Changes nothing for a claim that has ended. */
export async function putBackClaims(db: Queries, unmade: readonly Unmade[]): Promise<void> {
  const rows = unmade.map(
    ({ claim: { id, attempt_id }, afterMs, held = false, asked = false, startsAgain = false }) => ({
      id,
      attempt_id,
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
