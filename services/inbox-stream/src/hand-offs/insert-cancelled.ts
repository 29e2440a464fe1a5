import { defineStatement, erasedText, type Run } from '@notify/database'
import type { NewItem } from './handed-item.ts'

const insert = defineStatement({
  name: 'insert-cancelled-items',
  text: `
    insert into inbox_items (id, tenant_id, inbox_key, notification_id, seq, touched_seq, deleted_at)
    select id, tenant_id, '${erasedText}', notification_id, 0, 0, now()
    from json_to_recordset($1::json) as input (id text, tenant_id text, notification_id text)
    on conflict (notification_id) do nothing`,
})

/** Stores that notifications were cancelled: rows without content and inbox, so that none that follow them wait. */
export async function insertCancelled(run: Run, items: readonly NewItem[]): Promise<void> {
  if (items.length === 0) return
  const rows = items.map(({ id, tenant_id, notification_id }) => ({ id, tenant_id, notification_id }))
  await run(insert, [JSON.stringify(rows)])
}
