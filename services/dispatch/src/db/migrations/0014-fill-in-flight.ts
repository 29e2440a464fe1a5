import type { Migration } from '@notify/database'

/** Rows are locked, so that none is added as it was before a change that its trigger has followed already. */
export const fillInFlight: Migration = {
  name: '0014-fill-in-flight',
  batches: `with page as (
      select * from notifications
      where id > coalesce($1, '') and (not settled or (expires_at is not null and payload is not null))
      order by id limit 1000 for update
    ), added as (
      insert into in_flight (id, lane, channel, status, settled, since, enqueued_at, next_attempt_at, expires_at, created_at)
      select id, lane, channel, status, settled, updated_at, enqueued_at, next_attempt_at, expires_at, created_at from page
      on conflict (id) do nothing
    )
    select max(id) as last from page`,
}
