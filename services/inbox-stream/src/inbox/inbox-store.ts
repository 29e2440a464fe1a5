import type { Queries, Statement } from '@notify/database'
import type { ItemRow } from './item-content.ts'

const countUnread: Statement = { name: 'count-unread', text: 'select unread_count from inboxes where key = $1' }

/** Kept in the inbox's row: it costs the same however many notifications there are. */
export async function readUnreadCount({ run }: Queries, inboxKey: string): Promise<number> {
  const [row] = await run<{ unread_count: number }>(countUnread, [inboxKey])
  return row?.unread_count ?? 0
}

export interface ListedItem extends ItemRow {
  seq: number
}

interface ListOptions {
  inboxKey: string
  unreadOnly: boolean
  categoryIndex: string | undefined
  /** Sequence after which the page begins. */
  after: number | undefined
  limit: number
}

const columns = `i.id, i.content, i.created_at, i.seq, i.is_read or i.touched_seq <= b.read_all_seq as is_read`

/** `offset 0` keeps the sort away from it: for an index in that order Postgres would read the whole inbox. */
const unreadAgain = [
  'not i.is_read',
  'i.touched_seq > i.seq',
  'i.touched_seq > b.read_all_seq',
  'i.seq <= b.read_all_seq',
]

/** A page of an inbox, newest first, and the number of unread notifications at the same moment. */
export async function listItems(
  { run }: Queries,
  options: ListOptions,
): Promise<{ unreadCount: number; items: ListedItem[] }> {
  const { inboxKey, unreadOnly, categoryIndex, after, limit } = options
  const values: unknown[] = [inboxKey, limit]
  const bind = (value: unknown) => `$${values.push(value)}`
  const conditions = ['i.inbox_key = b.key', 'i.deleted_at is null']
  if (after !== undefined) conditions.push(`i.seq < ${bind(after)}`)
  if (categoryIndex !== undefined) conditions.push(`i.category_index = ${bind(categoryIndex)}`)
  const part = (...more: string[]) =>
    `(select ${columns} from inbox_items i where ${[...conditions, ...more].join(' and ')} order by i.seq desc limit $2)`
  // Unread since the whole inbox was read last: what came later, and what was marked as unread again. Each has an index.
  const items = unreadOnly
    ? `${part('not i.is_read', 'i.seq > b.read_all_seq')} union all
       (select * from (select ${columns} from inbox_items i where ${[...conditions, ...unreadAgain].join(' and ')} offset 0) again
        order by seq desc limit $2)`
    : part()
  // An inbox without such items gives one row, of its count alone.
  const rows = await run<ListedItem & { unread_count: number }>(
    `select items.*, b.unread_count from inboxes b left join lateral (${items}) items on true
     where b.key = $1 order by seq desc limit $2`,
    values,
  )
  return { unreadCount: rows[0]?.unread_count ?? 0, items: rows.filter(({ id }) => id !== null) }
}
