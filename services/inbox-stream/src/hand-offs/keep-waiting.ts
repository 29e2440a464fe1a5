import { defineStatement, type Run } from '@notify/database'
import type { HandedItem } from './handed-item.ts'

const keep = defineStatement({
  name: 'keep-waiting-items',
  text: `
    insert into waiting_items (notification_id, after, id, tenant_id, application_id, inbox_key, category_index, topic, content,
      retry_count, traceparent)
    select notification_id, after, id, tenant_id, application_id, inbox_key, category_index, topic, decode(content, 'base64'),
      retry_count, traceparent
    from json_to_recordset($1::json) as input (notification_id text, after text, id text, tenant_id text, application_id text,
      inbox_key text, category_index text, topic text, content text, retry_count int, traceparent text)
    on conflict (notification_id) do nothing`,
})

/** Stores notifications that came before their predecessors. */
export async function keepWaiting(run: Run, items: readonly HandedItem[]): Promise<void> {
  if (items.length === 0) return
  await run(keep, [JSON.stringify(items.map((item) => ({ ...item, content: item.content.toString('base64') })))])
}
