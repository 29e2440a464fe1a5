import { defineStatement, pick, type Queries } from '@notify/database'
import { tables } from '../../db/schema.ts'
import { scheduleBatch } from './open-sql.ts'

const { attempts, notifications } = tables

/** Locks notifications before their attempts, as every statement does, so that two statements cannot deadlock. */
const claimExpired = defineStatement({
  name: 'claim-expired-attempts',
  text: `
    with expired as (
      select notification_id as id, number from attempts
      where finished_at is null and lease_until < now() order by lease_until limit ${scheduleBatch}
    ), locked as (
      select id, lane, round_attempts from notifications
      where id = any (array(select id from expired)) order by id for update skip locked
    )
    update attempts a set lease_until = now() + make_interval(secs => $1)
    from expired join locked using (id)
    where a.notification_id = expired.id and a.number = expired.number and a.finished_at is null and a.lease_until < now()
    returning a.notification_id, a.number, a.id as attempt_id, locked.lane, locked.round_attempts`,
  columns: {
    ...pick(attempts, 'notification_id', 'number'),
    attempt_id: attempts.id,
    ...pick(notifications, 'lane', 'round_attempts'),
  },
})

/** An attempt whose worker died, with the input of the retry policy. */
export type ExpiredAttempt = Awaited<ReturnType<typeof claimExpiredAttempts>>[number]

/**
 * Claims attempts whose lease has expired until they are settled. If the reconciler dies, another one claims them. A late
 * answer of the worker still counts.
 */
export function claimExpiredAttempts(db: Queries, leaseSeconds: number) {
  return db.run(claimExpired, [leaseSeconds])
}
