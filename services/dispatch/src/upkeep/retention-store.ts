import { earliestId, type Id } from '@notify/contracts'
import { column, defineStatement, deletionInOrder, type Queries } from '@notify/database'
import { fileBytesSql } from '../channels/attachment-column.ts'
import { findExaminedPage } from './examined-page.ts'

const batch = 1000

/** What one statement deletes and examines; with many more it would exceed its time. */
const mostOfBatch = { fileBytes: 256 * 1024 * 1024, examined: 20_000 }

/** Notifications in flight, or ended lately, are skipped: of a broadcast that is scheduled there may be millions. */
const deletePage = defineStatement({
  name: 'delete-ended-notifications',
  text: `
    with page as (
      select id, found from (
        select id, count(*) over () as found, sum(bytes) over (order by id) - bytes as before from (
          select n.id, ${fileBytesSql('n')} as bytes from notifications n
          where n.id > $1 and n.id <= $2 and n.settled and n.updated_at < $3
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
  limits: Partial<typeof mostOfBatch> = {},
): (before: Date) => Promise<{ deleted: number; more: boolean }> {
  const { fileBytes, examined } = { ...mostOfBatch, ...limits }
  return deletionInOrder(batch, async (after: Id<'notif'> | null, before: Date) => {
    const end = earliestId('notif', Math.max(0, before.getTime()))
    const { last, is_full } = await findExaminedPage(db, { after: after ?? '', before: end, most: examined })
    if (last === null) return { deleted: 0, last, more: false }
    const [row] = await db.runLong(deletePage, [after ?? '', last, before, fileBytes])
    return row!.more || !is_full ? row! : { deleted: row!.deleted, last, more: true }
  })
}
