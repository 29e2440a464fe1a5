import type { Lane } from '@notify/contracts'
import type { Database, Statement } from '@notify/database'
import type { Tables } from '../../db/schema.ts'

/** An attempt whose worker died, with the input of the retry policy. */
export interface ExpiredAttempt {
  notification_id: string
  number: number
  attempt_id: string
  lane: Lane
  round_attempts: number
}

const batch = 500

/** The most that are claimed in one round; a full round may leave more. */
export const expiredBatch = batch

/** Notifications are locked before their attempts, as in every statement: in another order two of them could deadlock. */
const claimExpired: Statement = {
  name: 'claim-expired-attempts',
  text: `
    with expired as (
      select notification_id as id, number from attempts
      where finished_at is null and lease_until < now() order by lease_until limit ${batch}
    ), locked as (
      select id, lane, round_attempts from notifications
      where id = any (array(select id from expired)) order by id for update skip locked
    )
    update attempts a set lease_until = now() + make_interval(secs => $1)
    from expired join locked using (id)
    where a.notification_id = expired.id and a.number = expired.number and a.finished_at is null and a.lease_until < now()
    returning a.notification_id, a.number, a.id as attempt_id, locked.lane, locked.round_attempts`,
}

/**
 * Claims attempts whose lease has expired, for as long as it takes to settle them. A reconciler that dies leaves them to the
 * next one; a late answer of the worker still counts.
 */
export function claimExpiredAttempts(db: Database<Tables>, leaseSeconds: number): Promise<ExpiredAttempt[]> {
  return db.run<ExpiredAttempt>(claimExpired, [leaseSeconds])
}
