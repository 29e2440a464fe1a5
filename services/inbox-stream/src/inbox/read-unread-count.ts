import { prepared, type Queries } from '@notify/database'
import { build } from '../db/schema.ts'

const count = prepared('count-unread', ({ inboxKey }: { inboxKey: string }) =>
  build.selectFrom('inboxes').select('unread_count').where('key', '=', inboxKey),
)

/** Stored in the inbox's row, so that it costs the same for any number of notifications. */
export async function readUnreadCount({ run }: Queries, inboxKey: string): Promise<number> {
  const [row] = await run(count({ inboxKey }))
  return row?.unread_count ?? 0
}
