import { claimDueSql, column, defineStatement, dueInColumns, dueInSql, pick, type Run } from '@notify/database'
import { tables } from '../db/schema.ts'

/** Endpoints per tenant in a claim, so that a tenant with thousands of endpoints delays no other. */
const mostOfTenant = 8

/** SQL: how many more endpoints of the tenant this process may claim. */
const roomOfTenant = `least(${mostOfTenant}, coalesce(($4::jsonb ->> owner)::int, $5))`

/** SQL: no worker delivers to it. */
export const isFree = '(leased_until is null or leased_until <= now())'

/**
 * One worker at a time delivers to an endpoint, so the limit of requests in flight holds over all replicas. An endpoint is one
 * row here however many deliveries wait for it, so a claim costs the same.
 */
const due = {
  table: 'endpoints',
  key: ['id'],
  due: 'next_due_at',
  where: `active and struggling = $3 and ${isFree}`,
  set: `leased_until = now() + $2 * interval '1 millisecond'`,
  fair: { by: 'tenant_id', most: roomOfTenant },
}

const claim = defineStatement({
  name: 'claim-endpoints',
  text: `${claimDueSql(due, { limit: '$1', leaseMs: '$2' })}
         select id, tenant_id, struggling, leased_until::text as lease from claimed`,
  columns: { ...pick(tables.endpoints, 'id', 'tenant_id', 'struggling'), lease: column.text() },
})

const look = defineStatement({
  name: 'look-due-endpoints',
  text: dueInSql({
    ...{ table: 'endpoints', due: 'next_due_at' },
    where: 'active and struggling = $1 and next_due_at is not null',
  }),
  columns: dueInColumns,
})

/** Milliseconds until an endpoint has a due delivery. */
export async function endpointsDueInMs(run: Run, struggling: boolean): Promise<number> {
  const [row] = await run(look, [struggling])
  return row!.due_in_ms
}

const overdue = defineStatement({
  name: 'overdue-endpoints',
  text: dueInSql({
    ...{ table: 'endpoints', due: 'next_due_at' },
    where: `active and not struggling and next_due_at is not null and ${isFree}`,
  }),
  columns: dueInColumns,
})

/** How long a healthy endpoint with due deliveries has waited for a worker, in seconds; 0 when none waits. */
export async function endpointsOverdueSeconds(run: Run): Promise<number> {
  const [row] = await run(overdue)
  return Math.max(0, -row!.due_in_ms / 1000)
}

/** The `lease` of an endpoint is the end of its lease, which identifies it. A renewal changes it. */
export type Endpoint = Awaited<ReturnType<typeof claimEndpoints>>[number]

export interface Claim {
  limit: number
  leaseMs: number
  struggling: boolean
  /** How many endpoints of a tenant this process has room for: of those that it knows, and of any other. */
  rooms: { known: Record<string, number>; other: number }
}

/** Claims endpoints with due deliveries, fairly over the tenants. */
export function claimEndpoints(run: Run, { limit, leaseMs, struggling, rooms }: Claim) {
  const values = [limit, leaseMs, struggling, JSON.stringify(rooms.known), rooms.other]
  return run(claim, values)
}
