import type { Queries, Statement } from '@notify/database'
import type { InboxEvent } from './inbox-event.ts'

const pageSize = 100

const read: Statement = {
  name: 'read-events',
  text: `select e.seq, e.kind, e.item_id, e.unread_count, i.content, i.created_at
         from inbox_events e left join inbox_items i on i.id = e.item_id
         where e.inbox_key = $1 and e.seq > $2 order by e.seq limit ${pageSize}`,
}

/** The events of an inbox after a sequence, the next hundred of them. */
export async function readEvents({ run }: Queries, inboxKey: string, after: number): Promise<InboxEvent[]> {
  const rows = await run<Omit<InboxEvent, 'created_at'> & { created_at: Date | null }>(read, [inboxKey, after])
  return rows.map(({ created_at, ...event }) => ({ ...event, created_at: created_at?.toISOString() ?? null }))
}

/** Where an inbox stands. */
export interface Head {
  key: string
  last_seq: number
  pruned_seq: number
  unread_count: number
}

const heads: Statement = {
  name: 'read-heads',
  text: 'select key, last_seq, pruned_seq, unread_count from inboxes where key = any($1)',
}

/** Where inboxes stand; one that never got a notification is missing. */
export function readHeads({ run }: Queries, inboxKeys: readonly string[]): Promise<Head[]> {
  return run<Head>(heads, [inboxKeys])
}
