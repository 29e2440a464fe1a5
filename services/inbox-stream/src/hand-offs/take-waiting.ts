import type { Id } from '@notify/contracts'
import { anyOf, prepared, type Run } from '@notify/database'
import { build } from '../db/schema.ts'
import type { HandedItem } from './handed-item.ts'

const take = prepared('take-waiting-items', ({ ids }: { ids: readonly Id<'notif'>[] }) =>
  build
    .deleteFrom('waiting_items')
    .where('notification_id', '=', anyOf(ids))
    .returning(['notification_id', 'after', 'id', 'tenant_id', 'application_id', 'inbox_key', 'category_index'])
    .returning(['topic', 'content', 'retry_count', 'traceparent']),
)

/** Removes and returns the notifications that need not wait any longer. */
export async function takeWaiting(run: Run, ids: readonly Id<'notif'>[]): Promise<HandedItem[]> {
  return ids.length === 0 ? [] : run(take({ ids }))
}
