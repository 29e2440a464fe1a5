import { column, defineStatement, pick, type Run } from '@notify/database'
import { tables } from '../db/schema.ts'
import type { NewItem } from './handed-item.ts'

/**
 * Each inbox's row hands out the sequences and is locked until the commit, so that they are published without gaps and in
 * order. Inboxes are locked in the order of their keys, so that no two batches wait for each other.
 */
const insert = defineStatement({
  name: 'insert-items',
  text: `
    with fresh as (
      select input.*, row_number() over (partition by inbox_key order by place) as nth,
        count(*) over (partition by inbox_key) as total
      from json_to_recordset($1::json) as input (place int, id text, notification_id text, tenant_id text,
        application_id text, inbox_key text, category_index text, content text)
      where not exists (select from inbox_items known where known.notification_id = input.notification_id)
    ), allotted as (
      insert into inboxes (key, tenant_id, application_id, last_seq, unread_count)
      select inbox_key, min(tenant_id), min(application_id), count(*), count(*) from fresh
      group by inbox_key order by inbox_key collate "C"
      on conflict (key) do update set last_seq = inboxes.last_seq + excluded.last_seq,
        unread_count = inboxes.unread_count + excluded.unread_count
      returning key, last_seq, unread_count
    ), numbered as (
      select fresh.*, last_seq - total + nth as seq, unread_count - total + nth as unread_count
      from fresh join allotted on key = inbox_key
    ), items as (
      insert into inbox_items (id, tenant_id, inbox_key, notification_id, seq, touched_seq, category_index, content)
      select id, tenant_id, inbox_key, notification_id, seq, seq, category_index, decode(content, 'base64') from numbered
      returning id, created_at
    ), events as (
      insert into inbox_events (inbox_key, seq, kind, item_id, unread_count)
      select inbox_key, seq, 'created', id, unread_count from numbered
    )
    select id, inbox_key, seq::int, unread_count::int, created_at from numbered join items using (id)
    order by inbox_key, seq`,
  columns: {
    ...pick(tables.inbox_items, 'id', 'inbox_key', 'created_at'),
    seq: column.integer(),
    unread_count: column.integer(),
  },
})

/** A notification that was stored in its inbox. */
export type StoredItem = Awaited<ReturnType<typeof insertItems>>[number]

/**
 * Stores notifications in their inboxes in this order, except those already stored.
 * @param items each notification once
 */
export async function insertItems(run: Run, items: readonly NewItem[]) {
  if (items.length === 0) return []
  const rows = items.map(({ content, ...item }, place) => ({ place, ...item, content: content.toString('base64') }))
  return run(insert, [JSON.stringify(rows)])
}
