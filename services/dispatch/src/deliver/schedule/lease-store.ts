import type { Lane } from '@notify/contracts'
import type { Database, Statement } from '@notify/database'
import type { Tables } from '../../db/schema.ts'

/** An attempt whose worker is gone, with what the retry policy asks for. */
export interface ExpiredAttempt {
  notification_id: string
  number: number
  attempt_id: string
  lane: Lane
  round_attempts: number
}

const batch = 500

/** As many are claimed in one round: when there were as many, there may be more. */
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
 * next one; a worker that answers after all is not stopped.
 */
export function claimExpiredAttempts(db: Database<Tables>, leaseSeconds: number): Promise<ExpiredAttempt[]> {
  return db.run<ExpiredAttempt>(claimExpired, [leaseSeconds])
}

/** Rows read by one statement. */
const leftPage = 2000

/** A row that was claimed meanwhile has another time of change. */
const endLeft: Statement = {
  name: 'end-left-sending',
  text: `
    with page as (
      select id, sending, attempt_count, updated_at from notifications where id > $1 order by id limit ${leftPage}
    ), left_over as (
      select id, updated_at from page where sending and not exists (
        select from attempts a where a.notification_id = page.id and a.number = page.attempt_count and a.finished_at is null)
    ), locked as (
      select n.id from notifications n join left_over l on n.id = l.id and n.updated_at = l.updated_at and n.sending
      order by n.id for update of n
    ), ended as (
      update notifications set sending = false where id = any (array(select id from locked)) returning 1
    )
    select (select id from page order by id desc limit 1) as reached, (select count(*)::int from page) = ${leftPage} as more,
      (select count(*)::int from ended) as ended`,
}

/** A page of the walk over all notifications. */
interface LeftSending {
  /** The last notification of the page; null if there was none. */
  reached: string | null
  more: boolean
  ended: number
}

/**
 * Ends `sending` of notifications that have no open attempt, as receipts left it in earlier releases: erasure and expiry pass
 * over what is being sent.
 */
export async function endLeftSending(db: Database<Tables>, after: string): Promise<LeftSending> {
  const [row] = await db.runLong<LeftSending>(endLeft, [after])
  return row!
}
