import { earliestId, type Id } from '@notify/contracts'
import { column, defineStatement, deletionInOrder, type Queries } from '@notify/database'

const batch = 1000

/** Ids begin with their time, so the primary key leads to the oldest. Notifications in flight, or ended lately, are skipped. */
const deletePage = defineStatement({
  name: 'delete-ended-notifications',
  text: `
    with page as (
      select id from notifications where id > $1 and id < $2 and settled and updated_at < $3
      order by id limit ${batch} for update skip locked
    ), gone as (
      delete from notifications where id = any(array(select id from page)) returning id, recipient_index
    ), attempts_gone as (
      delete from attempts where notification_id = any(array(select id from gone))
    ), copies_gone as (
      delete from copies where notification_id = any(array(select id from gone))
    ), files_gone as (
      delete from attachments where id = any(array(select id from gone))
    ), forgotten as (
      delete from in_flight where id = any(array(select id from gone))
    ), tails_gone as (
      delete from hand_off_tails
      where recipient_index = any(array(select recipient_index from gone)) and last_id = any(array(select id from gone))
    )
    select count(*)::int as deleted, (select id from page order by id desc limit 1) as last from gone`,
  columns: { deleted: column.integer(), last: column.id('notif').nullable() },
})

/** @returns a function that deletes one batch of the notifications that ended before a moment, with their attempts */
export function createEndedDeletion(db: Queries): (before: Date) => Promise<{ deleted: number; more: boolean }> {
  return deletionInOrder(batch, async (after: Id<'notif'> | null, before: Date) => {
    const end = earliestId('notif', Math.max(0, before.getTime()))
    const [row] = await db.runLong(deletePage, [after ?? '', end, before])
    return row!
  })
}
