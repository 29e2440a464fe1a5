import { anyOf, prepared, type Queries } from '@notify/database'
import { build } from '../db/schema.ts'
import type { InboxEvent } from './inbox-event.ts'

const pageSize = 100

const read = prepared('read-events', ({ inboxKey, after }: { inboxKey: string; after: number }) =>
  build
    .selectFrom('inbox_events as e')
    .leftJoin('inbox_items as i', 'i.id', 'e.item_id')
    .select(['e.seq', 'e.kind', 'e.item_id', 'e.unread_count', 'i.content', 'i.created_at'])
    .where('e.inbox_key', '=', inboxKey)
    .where('e.seq', '>', after)
    .orderBy('e.seq')
    .limit(pageSize),
)

/** The events of an inbox after a sequence, the next hundred of them. */
export async function readEvents({ run }: Queries, inboxKey: string, after: number): Promise<InboxEvent[]> {
  const rows = await run(read({ inboxKey, after }))
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
