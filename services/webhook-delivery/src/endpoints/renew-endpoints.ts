import { column, defineStatement, type Run } from '@notify/database'
import { tables } from '../db/schema.ts'
import type { Endpoint } from './claim-endpoints.ts'

const renew = defineStatement({
  name: 'renew-endpoints',
  text: `with mine as (
           select e.id from endpoints e join json_to_recordset($1::json) as t (id text, lease timestamptz)
             on e.id = t.id and e.leased_until = t.lease
           order by e.id for update of e)
         update endpoints set leased_until = now() + $2 * interval '1 millisecond' from mine where endpoints.id = mine.id
         returning endpoints.id, leased_until::text as lease`,
  columns: { id: tables.endpoints.id, lease: column.text() },
})

export type Held = Pick<Endpoint, 'id' | 'lease'>

export const asJson = (held: readonly Held[]) => JSON.stringify(held.map(({ id, lease }) => ({ id, lease })))

/** Renews the leases that are still the caller's. @returns their new ends, by endpoint */
export async function renewEndpoints(run: Run, held: readonly Held[], leaseMs: number): Promise<Map<string, string>> {
  const rows = await run(renew, [asJson(held), leaseMs])
  return new Map(rows.map(({ id, lease }) => [id, lease]))
}
