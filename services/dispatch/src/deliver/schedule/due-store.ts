import { defineStatement, dueInColumns, dueInSql, type Queries } from '@notify/database'

function dueIn(name: string, rows: Parameters<typeof dueInSql>[0]): (db: Queries) => Promise<number> {
  const look = defineStatement({ name, text: dueInSql(rows), columns: dueInColumns })
  return async ({ run }) => (await run(look))[0]!.due_in_ms
}

/** Milliseconds until a scheduled or retried message is due. */
export const nextAttemptInMs = dueIn('look-due-attempts', {
  table: 'in_flight',
  due: 'next_attempt_at',
  where: `status in ('queued', 'scheduled')`,
})

/** Milliseconds until the lease of an attempt ends. */
export const leaseEndsInMs = dueIn('look-expiring-leases', {
  table: 'attempts',
  due: 'lease_until',
  where: 'finished_at is null',
})

/** Milliseconds until a message expires, or the payload of one that was sent. */
export const nextExpiryInMs = dueIn('look-expiring-notifications', {
  table: 'in_flight',
  due: 'expires_at',
  where: 'expires_at is not null',
})
