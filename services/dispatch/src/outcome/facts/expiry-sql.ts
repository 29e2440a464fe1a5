/** The failure of what could not be sent in time. */
export const expiredReason = 'expired'

/** SQL for whether a row of `notifications` may not be sent any more, by the clock of Postgres. */
export const hasExpired = (row: string) => `coalesce(${row}.expires_at <= now(), false)`
