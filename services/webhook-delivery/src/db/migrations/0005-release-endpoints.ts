import type { Migration } from '@notify/database'

/**
 * A function, so that locks are held for no round trip: whoever stores a delivery waits for them. Each of its statements sees what
 * was committed before it.
 */
export const releaseEndpoints: Migration = {
  name: '0005-release-endpoints',
  transaction: [
    `create function release_endpoints(held json) returns void language plpgsql set search_path from current as $$
       begin
         perform from endpoints where id = any(array(select h.id from json_to_recordset(held) as h (id text)))
           order by id for update;
         update endpoints set leased_until = null, next_due_at = (
             select next_attempt_at from deliveries where endpoint_id = endpoints.id and next_attempt_at is not null
             order by next_attempt_at limit 1)
           from json_to_recordset(held) as h (id text, lease timestamptz)
           where endpoints.id = h.id and endpoints.leased_until = h.lease;
       end $$`,
  ],
}
