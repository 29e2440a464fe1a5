import { defineStatement, pick, type Queries } from '@notify/database'
import { tables } from '../db/schema.ts'
import { bytesBefore } from '../inbox/list-items.ts'
import type { InboxEvent } from './inbox-event.ts'

const pageSize = 100
/** Encrypted contents of a page: each event of a large notification has all of it. */
const mostBytes = 256 * 1024

const read = defineStatement({
  name: 'read-events',
  text: `select seq, kind, item_id, unread_count, content, created_at from (
           select e.seq, e.kind, e.item_id, e.unread_count, i.content, i.created_at,
             ${bytesBefore('i.content', 'e.seq')} as bytes_before
           from inbox_events e left join inbox_items i on i.id = e.item_id
           where e.inbox_key = $1 and e.seq > $2 order by e.seq limit ${pageSize}) page
         where bytes_before < ${mostBytes} order by seq`,
  columns: {
    ...pick(tables.inbox_events, 'seq', 'kind', 'item_id', 'unread_count'),
    content: tables.inbox_items.content,
    created_at: tables.inbox_items.created_at.nullable(),
  },
})

/** The events of an inbox after a sequence: the next hundred of them, or fewer if they are large. */
export async function readEvents({ run }: Queries, inboxKey: string, after: number): Promise<InboxEvent[]> {
  const rows = await run(read, [inboxKey, after])
  return rows.map(({ created_at, ...event }) => ({ ...event, created_at: created_at?.toISOString() ?? null }))
}

const heads = defineStatement({
  name: 'read-heads',
  text: `select input.key, coalesce(b.last_seq, start.seq) as last_seq, coalesce(b.pruned_seq, start.seq) as pruned_seq,
           coalesce(b.unread_count, 0) as unread_count
         from unnest($1::text[]) as input (key)
           cross join (select coalesce((select seq from inbox_start where one), 0) as seq) start
           left join inboxes b on b.key = input.key`,
  columns: pick(tables.inboxes, 'key', 'last_seq', 'pruned_seq', 'unread_count'),
})

/** The position of an inbox. */
export type Head = Awaited<ReturnType<typeof readHeads>>[number]

/** The position of each of these inboxes; of one that never got a notification, the one at which it will begin. */
export function readHeads({ run }: Queries, inboxKeys: readonly string[]) {
  return run(heads, [inboxKeys])
}
