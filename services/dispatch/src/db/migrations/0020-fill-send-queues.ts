import type { Migration } from '@notify/database'

/** The queues of what was in flight before. */
export const fillSendQueues: Migration = {
  name: '0020-fill-send-queues',
  batches: `with page as (
      select id, tenant_id, application_id, mode from notifications
      where id > coalesce($1, '') and (not settled or (expires_at is not null and payload is not null))
      order by id limit 1000
    ), filled as (
      update in_flight set tenant_id = page.tenant_id, application_id = page.application_id, mode = page.mode
      from page where in_flight.id = page.id
    )
    select max(id) as last from page`,
}
