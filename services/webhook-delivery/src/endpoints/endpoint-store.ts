import { claimDueSql, type Run, type Statement } from '@notify/database'

export interface Endpoint {
  id: string
  tenant_id: string
  struggling: boolean
  /** The end of the lease, which identifies it. A renewal changes it. */
  lease: string
}

/** Endpoints per tenant in a claim, so that a tenant with thousands of endpoints delays no other. */
const mostOfTenant = 8

/** The tenant's room in this process, of the statement's parameters. */
const roomOfTenant = `least(${mostOfTenant}, coalesce(($4::jsonb ->> owner)::int, $5))`

/**
 * One worker at a time delivers to an endpoint, so the limit of requests in flight holds over all replicas. An endpoint is one
 * row here however many deliveries wait for it, so a claim costs the same.
 */
const due = {
  table: 'endpoints',
  key: ['id'],
  due: 'next_due_at',
  where: 'active and struggling = $3 and (leased_until is null or leased_until <= now())',
  set: `leased_until = now() + $2 * interval '1 millisecond'`,
  fair: { by: 'tenant_id', most: roomOfTenant },
}

const claimEndpointsSql = `${claimDueSql(due, { limit: '$1', leaseMs: '$2' })} select id, tenant_id, struggling, leased_until::text as lease
  from claimed`

export interface Claim {
  limit: number
  leaseMs: number
  struggling: boolean
  /** How many endpoints of a tenant this process has room for: of those that it knows, and of any other. */
  rooms: { known: Record<string, number>; other: number }
}

/** Claims endpoints with due deliveries, fairly over the tenants. */
export function claimEndpoints(run: Run, { limit, leaseMs, struggling, rooms }: Claim): Promise<Endpoint[]> {
  const values = [limit, leaseMs, struggling, JSON.stringify(rooms.known), rooms.other]
  return run<Endpoint>({ name: 'claim-endpoints', text: claimEndpointsSql }, values)
}

const renew: Statement = {
  name: 'renew-endpoints',
  text: `with mine as (
           select e.id from endpoints e join json_to_recordset($1::json) as t (id text, lease timestamptz)
             on e.id = t.id and e.leased_until = t.lease
           order by e.id for update of e)
         update endpoints set leased_until = now() + $2 * interval '1 millisecond' from mine where endpoints.id = mine.id
         returning endpoints.id, leased_until::text as lease`,
}

type Held = Pick<Endpoint, 'id' | 'lease'>

const asJson = (held: readonly Held[]) => JSON.stringify(held.map(({ id, lease }) => ({ id, lease })))

/** Renews the leases that are still the caller's. @returns their new ends, by endpoint */
export async function renewEndpoints(run: Run, held: readonly Held[], leaseMs: number): Promise<Map<string, string>> {
  const rows = await run<Held>(renew, [asJson(held), leaseMs])
  return new Map(rows.map(({ id, lease }) => [id, lease]))
}

/** When the next delivery of an endpoint is due. */
const nextDue = `(select next_attempt_at from deliveries where endpoint_id = endpoints.id and next_attempt_at is not null
  order by next_attempt_at limit 1)`

const release: Statement = { name: 'release-endpoints', text: 'select release_endpoints($1)' }

/**
 * Releases endpoints whose lease is still the caller's. They are locked first: deliveries stored before are seen, and those
 * stored afterwards make the endpoint due again.
 */
export async function releaseEndpoints(run: Run, held: readonly Held[]): Promise<void> {
  await run(release, [asJson(held)])
}

/** Ends an endpoint at once. Its deliveries are removed in the background. */
export async function removeEndpoint(run: Run, id: string): Promise<void> {
  await run('update endpoints set active = false, deleted_at = now() where id = $1', [id])
}

/** Endpoints per page of the repair: it takes milliseconds however many there are. */
const mendedAtOnce = 2000

const mend: Statement = {
  name: 'mend-endpoints',
  text: `
    with page as (
      select id from endpoints where id > $1 order by id limit ${mendedAtOnce}
    ), late as (
      select id from endpoints
      where id = any(array(select id from page)) and active and (leased_until is null or leased_until <= now())
        and (next_due_at is null or next_due_at > now()) and ${nextDue} <= now() - interval '10 seconds'
      order by id for update skip locked
    ), mended as (update endpoints set next_due_at = now() from late where endpoints.id = late.id)
    select max(id) as reached from page having count(*) = ${mendedAtOnce}`,
}

/**
 * Repairs a page of endpoints that are due later than their deliveries.
 * @returns the last id of the page; undefined after the last page
 */
export async function mendEndpoints(run: Run, after: string): Promise<string | undefined> {
  const [row] = await run<{ reached: string }>(mend, [after])
  return row?.reached
}
