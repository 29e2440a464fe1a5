import { anyOf, defineStatement, pick, prepared, type Queries } from '@notify/database'
import { build, tables } from '../db/schema.ts'
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

const heads = prepared('read-heads', ({ inboxKeys }: { inboxKeys: readonly string[] }) =>
  build
    .selectFrom('inboxes')
    .select(['key', 'last_seq', 'pruned_seq', 'unread_count'])
    .where('key', '=', anyOf(inboxKeys)),
)

/** The position of an inbox. */
export type Head = Awaited<ReturnType<typeof readHeads>>[number]

/** The positions of inboxes; one that never got a notification is missing. */
export function readHeads({ run }: Queries, inboxKeys: readonly string[]) {
  return run(heads({ inboxKeys }))
}
