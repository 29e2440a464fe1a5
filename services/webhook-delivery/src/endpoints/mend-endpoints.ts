import { column, defineStatement, type Run } from '@notify/database'

/** When the next delivery of an endpoint is due. */
const nextDue = `(select next_attempt_at from deliveries where endpoint_id = endpoints.id and next_attempt_at is not null
  order by next_attempt_at limit 1)`

/** Endpoints per page of the repair: it takes milliseconds however many there are. */
const mendedAtOnce = 2000

const mend = defineStatement({
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
