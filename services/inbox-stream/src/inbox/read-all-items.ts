import { defineStatement, type Queries } from '@notify/database'
import { tables } from '../db/schema.ts'

const readAll = defineStatement({
  name: 'read-all',
  text: `
    with counted as (
      update inboxes set last_seq = last_seq + 1, read_all_seq = last_seq + 1, unread_count = 0
      where key = $1 and unread_count > 0 returning last_seq as seq
    ), event as (
      insert into inbox_events (inbox_key, seq, kind, unread_count) select $1, seq, 'read_all', 0 from counted
    )
    select seq from counted`,
  columns: { seq: tables.inboxes.last_seq },
})

/** Marks all notifications as read, in one row. @returns the event's sequence; undefined when all were read */
export async function readAllItems({ run }: Queries, inboxKey: string): Promise<number | undefined> {
  const [row] = await run(readAll, [inboxKey])
  return row?.seq
}
