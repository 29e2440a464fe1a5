import { column, defineStatement, type Run } from '@notify/database'
import { isFree } from './claim-endpoints.ts'

/** Endpoints per page of the repair, which takes milliseconds. */
const mendedAtOnce = 2000

/** The longest due delivery of the next endpoint that has one waiting. */
const waitingAfter = (id: string) => `select endpoint_id, next_attempt_at from deliveries
  where endpoint_id > ${id} and next_attempt_at is not null order by endpoint_id, next_attempt_at limit 1`

/** Costs one index probe per endpoint with waiting deliveries, however many have none: a tenant may have millions of origins. */
const mend = defineStatement({
  name: 'mend-endpoints',
  text: `
    with recursive page as (
      select first.*, 1 as nth from (${waitingAfter('$1')}) as first
      union all
      select next.*, nth + 1 from page cross join lateral (${waitingAfter('page.endpoint_id')}) as next
      where nth < ${mendedAtOnce}
    ), late as (
      select id from endpoints
      where id = any(array(select endpoint_id from page where next_attempt_at <= now() - interval '10 seconds'))
        and active and ${isFree} and (next_due_at is null or next_due_at > now())
      order by id for update skip locked
    ), mended as (update endpoints set next_due_at = now() from late where endpoints.id = late.id)
    select max(endpoint_id) as reached from page having count(*) = ${mendedAtOnce}`,
  columns: { reached: column.text() },
})

/**
 * Repairs a page of endpoints that are due later than their deliveries.
 * @returns the last id of the page; undefined after the last page
 */
export async function mendEndpoints(run: Run, after: string): Promise<string | undefined> {
  const [row] = await run(mend, [after])
  return row?.reached
}
