/** The failure reason of a message that could not be sent in time. */
export const expiredReason = 'expired'

/**
 * SQL for the final state of a message that could not be sent in time: `failed` if it is a code or was tried, else
 * `cancelled`.
 */
export const endOfExpired = (row: string) =>
  `case when ${row}.lane <> 'otp' and ${row}.attempt_count = 0 then 'cancelled' else 'failed' end`

/** The reason of a message that was not sent because its broadcast was cancelled. */
export const calledOffReason = 'broadcast_cancelled'

/**
 * SQL for whether the broadcast that a row of `notifications` is part of was cancelled, or its application deleted: a broadcast may have
 * completed while its notifications wait for their time.
 */
export const isCalledOff = (row: string) => `coalesce(case when ${row}.broadcast_id is not null then (
    select b.status = 'cancelled' or exists (select from ended_applications e where e.application_id = b.application_id)
    from broadcasts b where b.id = ${row}.broadcast_id) end, false)`

/** SQL for whether a row of `notifications` may not be sent any more, by the clock of Postgres. */
export const hasExpired = (row: string) => `coalesce(${row}.expires_at <= now(), false)`
