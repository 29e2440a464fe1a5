import type { Run, Statement } from '@notify/database'
import type { HandedItem } from './item-store.ts'
import type { Known, Linked } from './plan-order.ts'

const find: Statement = {
  name: 'find-known-items',
  text: `
    select notification_id, null as after, true as is_stored from inbox_items where notification_id = any($1)
    union all
    select notification_id, after, false from waiting_items where inbox_key = any($2)`,
}

/** Finds what the order of these notifications depends on. Their inboxes are locked, so it stays as it is until the commit. */
export async function findKnown(run: Run, items: readonly HandedItem[]): Promise<Known> {
  const ids = items.flatMap(({ notification_id, after }) =>
    after === null ? [notification_id] : [notification_id, after],
  )
  const keys = [...new Set(items.map(({ inbox_key }) => inbox_key))]
  const rows = await run<Linked & { is_stored: boolean }>(find, [ids, keys])
  return {
    stored: new Set(rows.filter(({ is_stored }) => is_stored).map(({ notification_id }) => notification_id)),
    waiting: rows.filter(({ is_stored }) => !is_stored),
  }
}

const keep: Statement = {
  name: 'keep-waiting-items',
  text: `
    insert into waiting_items (notification_id, after, id, tenant_id, application_id, inbox_key, category_index, content,
      retry_count, traceparent)
    select notification_id, after, id, tenant_id, application_id, inbox_key, category_index, decode(content, 'base64'),
      retry_count, traceparent
    from json_to_recordset($1::json) as input (notification_id text, after text, id text, tenant_id text, application_id text,
      inbox_key text, category_index text, content text, retry_count int, traceparent text)
    on conflict (notification_id) do nothing`,
}

/** Keeps what came before its predecessor. */
export async function keepWaiting(run: Run, items: readonly HandedItem[]): Promise<void> {
  if (items.length === 0) return
  await run(keep, [JSON.stringify(items.map((item) => ({ ...item, content: item.content.toString('base64') })))])
}

const take: Statement = {
  name: 'take-waiting-items',
  text: `
    delete from waiting_items where notification_id = any($1)
    returning notification_id, after, id, tenant_id, application_id, inbox_key, category_index, content, retry_count, traceparent`,
}

/** Takes out what need not wait any more. */
export async function takeWaiting(run: Run, ids: readonly string[]): Promise<HandedItem[]> {
  return ids.length === 0 ? [] : run<HandedItem>(take, [ids])
}
