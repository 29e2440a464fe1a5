import type { Id } from '@notify/contracts'
import { column, defineStatement, pick, type Queries } from '@notify/database'
import { tables } from '../db/schema.ts'

/** The inbox's row is locked first, so that its changes and sequences follow each other. */
const mark = defineStatement({
  name: 'mark-item',
  text: `
    with box as (select key, last_seq, read_all_seq from inboxes where key = $1 for update), changed as (
      update inbox_items i set is_read = $3::boolean, touched_seq = box.last_seq + 1
      from box where i.inbox_key = box.key and i.id = $2 and i.deleted_at is null
        and (i.is_read or i.touched_seq <= box.read_all_seq) <> $3::boolean
      returning i.id
    ), counted as (
      update inboxes b set last_seq = b.last_seq + 1, unread_count = b.unread_count + case when $3::boolean then -1 else 1 end
      from changed where b.key = $1 returning b.last_seq as seq, b.unread_count
    ), event as (
      insert into inbox_events (inbox_key, seq, kind, item_id, unread_count)
      select $1, seq, case when $3::boolean then 'read' else 'unread' end, $2, unread_count from counted
    )
    select i.id, i.content, i.created_at, $3::boolean as is_read, counted.seq, counted.unread_count
    from inbox_items i left join counted on true
    where i.inbox_key = $1 and i.id = $2 and i.deleted_at is null`,
  columns: {
    ...pick(tables.inbox_items, 'id', 'created_at'),
    content: tables.inbox_items.content.present(),
    is_read: column.boolean(),
    seq: column.integer().nullable(),
    unread_count: column.integer().nullable(),
  },
})

/** Marks a notification. @returns undefined when it is not in this inbox; `seq` is null when nothing changed */
export async function markItem(
  { run }: Queries,
  inboxKey: string,
  { id, isRead }: { id: Id<'inapp'>; isRead: boolean },
) {
  const [row] = await run(mark, [inboxKey, id, isRead])
  return row
}
