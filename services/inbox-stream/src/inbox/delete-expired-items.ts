import { column, defineStatement, type Run } from '@notify/database'

export const retentionBatch = 1000

/** Locks the inboxes of the rows in the order of their keys, as writers do. Deleted and erased rows have no inbox. */
const remove = defineStatement({
  name: 'delete-expired-items',
  isPrepared: false,
  text: `
    with old as (
     select id, inbox_key from inbox_items where created_at < now() - make_interval(secs => $1)
     order by created_at limit ${retentionBatch}
     ), box as (select key, read_all_seq from inboxes where key in (select inbox_key from old) order by key for update), gone as (
     delete from inbox_items i using old left join box on box.key = old.inbox_key where i.id = old.id
     returning box.key, i.deleted_at is null and not i.is_read and i.touched_seq > box.read_all_seq as was_unread
     ), counted as (
     update inboxes b set unread_count = b.unread_count - sums.unread
     from (select key, count(*) filter (where was_unread) as unread from gone group by key) sums
     where b.key = sums.key and sums.unread > 0
     )
     select count(*)::int as count from gone`,
  columns: { count: column.integer() },
})

/** Deletes a batch of notifications older than the retention. @returns how many there were */
export async function deleteExpiredItems(run: Run, seconds: number): Promise<number> {
  const [row] = await run(remove, [seconds])
  return row!.count
}
