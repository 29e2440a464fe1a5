import { column, defineStatement, type Queries } from '@notify/database'
import { type Kit, startPeriodic } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { deleteEndedBroadcasts } from './broadcasts/broadcast-store.ts'
import { deleteUsersOfEnded } from './delete-ended-users.ts'
import { hideListsOfEnded } from './lists/hide-ended-lists.ts'

const everyMs = 60_000
const batch = 2000
/** Deleted lists that share a batch: those of a large one do not delay those of another. */
const listsAtOnce = 20
const membersOf = (list: string) => `m.id > ${list}.id || '.' and m.id < ${list}.id || '/'`
const deleteMembers = defineStatement({
  name: 'delete-members-of-deleted-lists',
  text: `
    with list as (
      select id from lists where deleted_at is not null order by random() limit ${listsAtOnce} for update skip locked
    ), members as (
      delete from list_members where id = any(array(
        select mine.id from list cross join lateral (
          select m.id from list_members m where ${membersOf('list')}
          limit (select ${batch} / greatest(count(*), 1) from list)) as mine))
      returning id
    ), gone as (
      delete from lists l where l.id in (select id from list) and not exists (
        select from list_members m where ${membersOf('l')}) returning l.id
    )
    select (select count(*)::int from members) + (select count(*)::int from gone) as deleted`,
  columns: { deleted: column.integer() },
})

/** Deletes a batch of the members of deleted lists, and the lists that have none. @returns how many rows */
export async function deleteListLeftovers({ runLong }: Pick<Queries, 'runLong'>): Promise<number> {
  return (await runLong(deleteMembers))[0]!.deleted
}

type Database = Pick<Queries, 'run' | 'runLong'>

/** Deletes a batch of what deleted lists and applications have left, and of old broadcasts. @returns whether there may be more */
export async function deleteLeftovers(db: Database, retentionMs: number): Promise<boolean> {
  const more = await deleteEndedBroadcasts(db.run, retentionMs)
  await hideListsOfEnded(db)
  const deleted = (await deleteUsersOfEnded(db)) + (await deleteListLeftovers(db))
  return deleted > 0 || more
}

/** Deletes what deleted lists and applications have left, and broadcasts `PAYLOAD_RETENTION` after their last notification. */
export function startAudienceRetention(kit: Kit, { config, db }: Pick<Context, 'config' | 'db'>): void {
  startPeriodic(kit, {
    name: 'audience retention',
    everyMs,
    run: () => deleteLeftovers(db, config.PAYLOAD_RETENTION),
  })
}
