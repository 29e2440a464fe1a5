import type { Migration } from '@notify/database'

/** The triggers count what is marked. Rows are locked in order, as the projection locks them. */
export const countActivity: Migration = {
  name: '0014-count-activity',
  batches: `with page as (select id from activity where id > coalesce($1, '') order by id limit 1000 for update),
    marked as (update activity set counted = true from page where activity.id = page.id and not counted)
    select max(id) as last from page`,
}
