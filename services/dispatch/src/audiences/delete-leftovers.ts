import { column, defineStatement, type Queries } from '@notify/database'
import { type Kit, startPeriodic } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { deleteEndedBroadcasts } from './broadcasts/broadcast-store.ts'

const everyMs = 60_000
const batch = 2000
const deleteMembers = defineStatement({
  name: 'delete-members-of-deleted-lists',
  text: `
    with list as (
      select id from lists where deleted_at is not null order by deleted_at limit 1 for update skip locked
    ), members as (
      delete from list_members where id = any(array(
        select m.id from list_members m, list where m.id > list.id || '.' and m.id < list.id || '/' limit ${batch}))
      returning id
    ), gone as (
      delete from lists where id in (select id from list) and not exists (select from members) returning id
    )
    select (select count(*)::int from members) + (select count(*)::int from gone) as deleted`,
  columns: { deleted: column.integer() },
})

/** Deletes a batch of the members of deleted lists, then the lists. @returns how many rows */
async function deleteListLeftovers({ runLong }: Pick<Queries, 'runLong'>): Promise<number> {
  return (await runLong(deleteMembers))[0]!.deleted
}

/** Deletes what deleted lists have left, and broadcasts `PAYLOAD_RETENTION` after their last notification. */
export function startAudienceRetention(kit: Kit, { config, db }: Pick<Context, 'config' | 'db'>): void {
  startPeriodic(kit, {
    name: 'audience retention',
    everyMs,
    async run() {
      const more = await deleteEndedBroadcasts(db.run, config.PAYLOAD_RETENTION)
      return (await deleteListLeftovers(db)) > 0 || more
    },
  })
}
