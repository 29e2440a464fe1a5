import { column, defineStatements, pick, type Queries } from '@notify/database'
import { tables } from '../db/schema.ts'
import type { ItemRow } from './item-content.ts'

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

const shown = 'i.id, i.content, i.created_at, i.seq, i.is_read or i.touched_seq <= b.read_all_seq as is_read'
const listed = `i.inbox_key = b.key and i.deleted_at is null
  and ($3::int is null or i.seq < $3::int) and ($4::text is null or i.category_index = $4)`

const all = `select ${shown} from inbox_items i where ${listed} order by i.seq desc limit $2`

/**
 * Unread since the whole inbox was last marked read: later ones, and those marked unread again. Each has an index; `offset 0`
 * keeps the sort apart, because Postgres would otherwise read the whole inbox in the order of another index.
 */
const unread = `
  (select ${shown} from inbox_items i where ${listed} and not i.is_read and i.seq > b.read_all_seq order by i.seq desc limit $2)
  union all
  (select * from (
     select ${shown} from inbox_items i
     where ${listed} and not i.is_read and i.touched_seq > i.seq and i.touched_seq > b.read_all_seq and i.seq <= b.read_all_seq
     offset 0) again
   order by seq desc limit $2)`

/** An inbox without such items returns one row with the count only. */
const list = defineStatements(
  (filter: 'all' | 'unread') => ({
    name: `list-items-${filter}`,
    isPrepared: false,
    text: `select items.*, b.unread_count from inboxes b left join lateral (${filter === 'all' ? all : unread}) items on true
           where b.key = $1 order by seq desc limit $2`,
    columns: {
      id: tables.inbox_items.id.nullable(),
      content: tables.inbox_items.content,
      created_at: tables.inbox_items.created_at.nullable(),
      seq: tables.inbox_items.seq.nullable(),
      is_read: column.boolean().nullable(),
      ...pick(tables.inboxes, 'unread_count'),
    },
  }),
  'all',
  'unread',
)

/** A page of an inbox, newest first, and the number of unread notifications at the same moment. */
export async function listItems(
  { run }: Queries,
  { inboxKey, unreadOnly, categoryIndex, after, limit }: ListOptions,
): Promise<{ unreadCount: number; items: ListedItem[] }> {
  const rows = await run(list(unreadOnly ? 'unread' : 'all'), [inboxKey, limit, after ?? null, categoryIndex ?? null])
  const items = rows.flatMap(({ unread_count: _, ...item }) => (isListed(item) ? [item] : []))
  return { unreadCount: rows[0]?.unread_count ?? 0, items }
}

type Possibly<Row> = { [Name in keyof Row]: Row[Name] | null }

const isListed = (item: Possibly<ListedItem>): item is ListedItem => item.id !== null
