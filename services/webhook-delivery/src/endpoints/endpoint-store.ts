import { claimDueSql, type Queries, type Run } from '@notify/database'

export interface Endpoint {
  id: string
  struggling: boolean
}

/** Endpoints that one claim takes of a tenant, so that a tenant with thousands delays no other. */
const mostOfTenant = 8

/**
 * An endpoint is delivered to by one worker at a time, which keeps its requests in flight within their limit over all
 * replicas. However many deliveries wait for it, it is one row here: a claim costs the same.
 */
const due = {
  table: 'endpoints',
  key: ['id'],
  due: 'next_due_at',
  where: 'active and struggling = $3 and (leased_until is null or leased_until <= now())',
  set: `leased_until = now() + $2 * interval '1 millisecond'`,
  fair: { by: 'tenant_id', most: mostOfTenant },
}

const claimEndpointsSql = `${claimDueSql(due, { limit: '$1', leaseMs: '$2' })} select id, struggling from claimed`

export interface Claim {
  limit: number
  leaseMs: number
  struggling: boolean
}

/** Takes endpoints with due deliveries, fairly over the tenants. */
export function claimEndpoints(run: Run, { limit, leaseMs, struggling }: Claim): Promise<Endpoint[]> {
  return run<Endpoint>({ name: 'claim-endpoints', text: claimEndpointsSql }, [limit, leaseMs, struggling])
}

/** When the next of an endpoint's deliveries is due; the index leads to it. */
const nextDue = `(select next_attempt_at from deliveries where endpoint_id = endpoints.id and next_attempt_at is not null
  order by next_attempt_at limit 1)`

/**
 * Gives an endpoint back. It is locked first: what others stored before is seen by the second statement, and what they store
 * afterwards makes the endpoint due again.
 */
export function releaseEndpoint(db: Queries, id: string): Promise<void> {
  return db.transaction(async (run) => {
    await run('select 1 from endpoints where id = $1 for update', [id])
    await run(`update endpoints set leased_until = null, next_due_at = ${nextDue} where id = $1`, [id])
  })
}

/** Makes endpoints due whose deliveries are, should that ever have been missed. */
export async function mendEndpoints(run: Run): Promise<void> {
  await run(
    `with late as (
       select id from endpoints
       where active and (leased_until is null or leased_until <= now()) and (next_due_at is null or next_due_at > now())
         and ${nextDue} <= now() - interval '10 seconds'
       order by id for update skip locked
     )
     update endpoints set next_due_at = now() from late where endpoints.id = late.id`,
  )
}
