import { column, defineStatement, type Run } from '@notify/database'
import type { Endpoint } from './claim-endpoints.ts'

const renew = defineStatement({
  name: 'renew-endpoints',
  text: `with mine as (
           select e.id, t.at from endpoints e join json_to_recordset($1::json) as t (id text, lease timestamptz, at int)
             on e.id = t.id and e.leased_until = t.lease
           order by e.id for update of e)
         update endpoints set leased_until = now() + $2 * interval '1 millisecond' from mine where endpoints.id = mine.id
         returning mine.at, leased_until::text as lease`,
  columns: { at: column.integer(), lease: column.text() },
})

export type Held = Pick<Endpoint, 'id' | 'lease'>

export const asJson = (held: readonly Held[]) => JSON.stringify(held.map(({ id, lease }, at) => ({ id, lease, at })))

/**
 * Renews the leases that are still the caller's: one that has lapsed is not, even if the caller has claimed its endpoint again.
 * @returns their new ends, each with the position of its endpoint
 */
export const renewEndpoints = (run: Run, held: readonly Held[], leaseMs: number) => run(renew, [asJson(held), leaseMs])
