import { defineStatement, dueInColumns, dueInSql, type Queries } from '@notify/database'

const attempt = defineStatement({
  name: 'look-due-attempts',
  text: dueInSql({ table: 'in_flight', due: 'next_attempt_at', where: `status in ('queued', 'scheduled')` }),
  columns: dueInColumns,
})

const lease = defineStatement({
  name: 'look-expiring-leases',
  text: dueInSql({ table: 'attempts', due: 'lease_until', where: 'finished_at is null' }),
  columns: dueInColumns,
})

/** Milliseconds until a scheduled or retried message is due. */
export async function nextAttemptInMs({ run }: Queries): Promise<number> {
  const [row] = await run(attempt)
  return row!.due_in_ms
}

/** Milliseconds until the lease of an attempt ends. */
export async function leaseEndsInMs({ run }: Queries): Promise<number> {
  const [row] = await run(lease)
  return row!.due_in_ms
}
