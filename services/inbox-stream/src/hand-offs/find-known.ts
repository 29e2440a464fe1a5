import { column, defineStatement, pick, type Run } from '@notify/database'
import { tables } from '../db/schema.ts'
import type { HandedItem } from './handed-item.ts'
import type { Known } from './plan-order.ts'

const find = defineStatement({
  name: 'find-known-items',
  text: `
    select notification_id, null as after, true as is_stored from inbox_items where notification_id = any($1)
    union all
    select notification_id, after, false from waiting_items where inbox_key = any($2)`,
  columns: {
    ...pick(tables.waiting_items, 'notification_id'),
    after: tables.waiting_items.after.nullable(),
    is_stored: column.boolean(),
  },
})

/** Finds the state that the order of these notifications depends on. The locks on their inboxes keep it stable until the commit. */
export async function findKnown(run: Run, items: readonly HandedItem[]): Promise<Known> {
  const ids = items.flatMap(({ notification_id, after }) =>
    after === null ? [notification_id] : [notification_id, after],
  )
  const keys = [...new Set(items.map(({ inbox_key }) => inbox_key))]
  const rows = await run(find, [ids, keys])
  return {
    stored: new Set(rows.filter(({ is_stored }) => is_stored).map(({ notification_id }) => notification_id)),
    waiting: rows.filter(({ is_stored }) => !is_stored),
  }
}
