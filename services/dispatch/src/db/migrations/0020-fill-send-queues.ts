import type { Migration } from '@notify/database'

/** The queues of what was in flight before. */
export const fillSendQueues: Migration = {
  name: '0020-fill-send-queues',
  batches: `with page as (
      select id from in_flight where id > coalesce($1, '') order by id limit 1000
    ), filled as (
      update in_flight f set tenant_id = n.tenant_id, application_id = n.application_id, mode = n.mode
      from notifications n where f.id in (select id from page) and n.id = f.id
    )
    select max(id) as last from page`,
}
