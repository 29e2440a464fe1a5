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

/** Encrypted contents of a page: with those of a hundred of the largest notifications, a few requests would fill the memory. */
const mostBytes = 1024 * 1024

/** The bytes of the items before one. Postgres knows the length of a content without reading it. */
export const bytesBefore = (content: string, order: string) =>
  `coalesce(sum(octet_length(${content})) over (order by ${order} rows between unbounded preceding and 1 preceding), 0)`

/** An inbox without such items returns one row with the count only. */
const list = defineStatements(
  (filter: 'all' | 'unread') => ({
    name: `list-items-${filter}`,
    isPrepared: false,
    text: `select items.id, items.content, items.created_at, items.seq, items.is_read, items.found, b.unread_count
           from inboxes b left join lateral (
             select *, count(*) over ()::int as found, ${bytesBefore('content', 'seq desc')} as bytes_before
             from (select * from (${filter === 'all' ? all : unread}) either order by seq desc limit $2) page
           ) items on bytes_before < ${mostBytes}
           where b.key = $1 order by seq desc`,
    columns: {
      id: tables.inbox_items.id.nullable(),
      content: tables.inbox_items.content,
      created_at: tables.inbox_items.created_at.nullable(),
      seq: tables.inbox_items.seq.nullable(),
      is_read: column.boolean().nullable(),
      found: column.integer().nullable(),
      ...pick(tables.inboxes, 'unread_count'),
    },
  }),
  'all',
  'unread',
)

/**
 * A page of an inbox, newest first, and the number of unread notifications at the same moment.
 * @returns fewer items than `limit` if they are large, and whether further ones were found
 */
export async function listItems(
  { run }: Queries,
  { inboxKey, unreadOnly, categoryIndex, after, limit }: ListOptions,
): Promise<{ unreadCount: number; items: ListedItem[]; isCut: boolean }> {
  const rows = await run(list(unreadOnly ? 'unread' : 'all'), [inboxKey, limit, after ?? null, categoryIndex ?? null])
  const items = rows.flatMap(({ unread_count: _, found: __, ...item }) => (isListed(item) ? [item] : []))
  return { unreadCount: rows[0]?.unread_count ?? 0, items, isCut: items.length < (rows[0]?.found ?? 0) }
}

type Possibly<Row> = { [Name in keyof Row]: Row[Name] | null }

const isListed = (item: Possibly<ListedItem>): item is ListedItem => item.id !== null
