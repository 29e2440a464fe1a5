import { column, defineStatement, pick, type Run } from '@notify/database'
import { tables } from '../db/schema.ts'
import type { HandedItem } from './handed-item.ts'
import type { Known } from './plan-order.ts'

/** A waiting notification may be ready already, if it could not be stored with its predecessor. */
const find = defineStatement({
  name: 'find-known-items',
  text: `
    select notification_id, null as after, null as topic, 0 as bytes, true as is_stored, seq = 0 as is_cancelled
    from inbox_items where notification_id = any($1::text[] || array(select after from waiting_items where inbox_key = any($2)))
    union all
    select notification_id, after, topic, octet_length(content), false, false from waiting_items where inbox_key = any($2)`,
  columns: {
    ...pick(tables.waiting_items, 'notification_id', 'topic'),
    after: tables.waiting_items.after.nullable(),
    bytes: column.integer(),
    is_stored: column.boolean(),
    is_cancelled: column.boolean(),
  },
})

/** What is known of notifications and their inboxes. */
export interface KnownItems extends Known {
  waiting: (Pick<HandedItem, 'notification_id' | 'after' | 'topic'> & { bytes: number })[]
  /** Those of `stored` that were never shown. */
  cancelled: ReadonlySet<string>
}

/**
 * Finds the state that the order of notifications depends on. The locks on their inboxes keep it stable until the commit.
 * @param inboxes the items that name the inboxes
 */
export async function findKnown(
  run: Run,
  received: readonly HandedItem[],
  inboxes: readonly Pick<HandedItem, 'inbox_key'>[],
): Promise<KnownItems> {
  const ids = received.flatMap(({ notification_id, after }) =>
    after === null ? [notification_id] : [notification_id, after],
  )
  const keys = [...new Set(inboxes.map(({ inbox_key }) => inbox_key))]
  const rows = await run(find, [ids, keys])
  const stored = rows.filter(({ is_stored }) => is_stored)
  return {
    stored: idsOf(stored),
    cancelled: idsOf(stored.filter(({ is_cancelled }) => is_cancelled)),
    waiting: rows.filter(({ is_stored }) => !is_stored),
  }
}

const idsOf = (rows: readonly Pick<HandedItem, 'notification_id'>[]) =>
  new Set(rows.map(({ notification_id }) => notification_id))
