import { earliestId, type Id } from '@notify/contracts'
import { column, defineStatement, deletionInOrder, type Queries } from '@notify/database'
import { fileBytesSql } from '../channels/attachment-column.ts'

const batch = 1000
/** Bytes of the files that one statement deletes; many more would exceed its time. */
const mostDeletedBytes = 256 * 1024 * 1024

/** Ids begin with their time, so the primary key leads to the oldest. Notifications in flight, or ended lately, are skipped. */
const deletePage = defineStatement({
  name: 'delete-ended-notifications',
  text: `
    with page as (
      select id, found from (
        select id, count(*) over () as found, sum(bytes) over (order by id) - bytes as before from (
          select n.id, ${fileBytesSql('n')} as bytes from notifications n
          where n.id > $1 and n.id < $2 and n.settled and n.updated_at < $3
          order by n.id limit ${batch} for update skip locked
        ) as locked
      ) as counted where before < $4
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
    select count(*)::int as deleted, (select id from page order by id desc limit 1) as last,
      (select coalesce(max(found) = ${batch} or max(found) > count(*), false) from page) as more from gone`,
  columns: { deleted: column.integer(), last: column.id('notif').nullable(), more: column.boolean() },
})

/** @returns a function that deletes one batch of the notifications that ended before a moment, with their attempts */
export function createEndedDeletion(
  db: Queries,
  mostFileBytes = mostDeletedBytes,
): (before: Date) => Promise<{ deleted: number; more: boolean }> {
  return deletionInOrder(batch, async (after: Id<'notif'> | null, before: Date) => {
    const end = earliestId('notif', Math.max(0, before.getTime()))
    const [row] = await db.runLong(deletePage, [after ?? '', end, before, mostFileBytes])
    return row!
  })
}
