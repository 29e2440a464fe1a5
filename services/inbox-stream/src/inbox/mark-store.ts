import type { Queries, Statement } from '@notify/database'
import type { ItemRow } from './item-content.ts'

/** What a change of one inbox left behind; `seq` is null when nothing changed. */
interface Changed {
  seq: number | null
  unread_count: number
}

/** The inbox's row is locked first, so that its changes and sequences follow each other. */
const lockedInbox = 'select key, last_seq, read_all_seq from inboxes where key = $1 for update'

const mark: Statement = {
  name: 'mark-item',
  text: `
    with box as (${lockedInbox}), changed as (
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
}

/** Marks a notification. @returns undefined when it is not in this inbox */
export async function markItem(
  { run }: Queries,
  inboxKey: string,
  { id, isRead }: { id: string; isRead: boolean },
): Promise<(ItemRow & Changed) | undefined> {
  const [row] = await run<ItemRow & Changed>(mark, [inboxKey, id, isRead])
  return row
}

const readAll: Statement = {
  name: 'read-all',
  text: `
    with counted as (
      update inboxes set last_seq = last_seq + 1, read_all_seq = last_seq + 1, unread_count = 0
      where key = $1 and unread_count > 0 returning last_seq as seq
    ), event as (
      insert into inbox_events (inbox_key, seq, kind, unread_count) select $1, seq, 'read_all', 0 from counted
    )
    select seq from counted`,
}

/** Marks all notifications as read, in one row. @returns the event's sequence; undefined when all were read */
export async function readAllItems({ run }: Queries, inboxKey: string): Promise<number | undefined> {
  const [row] = await run<{ seq: number }>(readAll, [inboxKey])
  return row?.seq
}

const remove: Statement = {
  name: 'delete-item',
  text: `
    with box as (${lockedInbox}), changed as (
      update inbox_items i set deleted_at = now(), content = null, category_index = null
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
}

/** Deletes a notification. @returns undefined when it is not in this inbox */
export async function deleteItem(
  { run }: Queries,
  inboxKey: string,
  id: string,
): Promise<{ seq: number; unread_count: number } | undefined> {
  const [row] = await run<{ seq: number; unread_count: number }>(remove, [inboxKey, id])
  return row
}
