import type { Id } from '@notify/contracts'
import { defineStatement, erasedText, type Queries } from '@notify/database'
import { tables } from '../db/schema.ts'

/** The inbox's row is locked first, so that its changes and sequences follow each other. */
const remove = defineStatement({
  name: 'delete-item',
  text: `
    with box as (select key, last_seq, read_all_seq from inboxes where key = $1 for update), changed as (
      update inbox_items i set deleted_at = now(), inbox_key = '${erasedText}', content = null, category_index = null
      from box where i.inbox_key = box.key and i.id = $2 and i.deleted_at is null
      returning not i.is_read and i.touched_seq > box.read_all_seq as was_unread
    ), counted as (
      update inboxes b set last_seq = b.last_seq + 1, unread_count = b.unread_count - changed.was_unread::int
      from changed where b.key = $1 returning b.last_seq as seq, b.unread_count
    ), event as (
      insert into inbox_events (inbox_key, seq, kind, item_id, unread_count)
      select $1, seq, 'deleted', $2, unread_count from counted
    )
    select seq, unread_count from counted`,
  columns: { seq: tables.inboxes.last_seq, unread_count: tables.inboxes.unread_count },
})

/** Deletes a notification. @returns undefined when it is not in this inbox */
export async function deleteItem(
  { run }: Queries,
  inboxKey: string,
  id: Id<'inapp'>,
): Promise<{ seq: number; unread_count: number } | undefined> {
  const [row] = await run(remove, [inboxKey, id])
  return row
}
