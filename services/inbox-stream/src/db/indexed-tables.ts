import type { IndexedTable } from '@notify/database'

/** Every table with blind indexes; `reindex` renews them. */
export const indexedTables: readonly IndexedTable[] = [
  // Before the inboxes, which have the tenant.
  {
    table: 'inbox_events',
    indexes: ['inbox_key'],
    tenant: '(select tenant_id from inboxes where key = inbox_events.inbox_key)',
  },
  { table: 'inboxes', indexes: ['key'] },
  { table: 'inbox_items', indexes: ['inbox_key', 'category_index'] },
  { table: 'waiting_items', indexes: ['inbox_key', 'category_index'] },
  // Deleted: the processes that hold streams write them again.
  { table: 'open_streams', indexes: ['inbox_key'], tenant: 'null::text' },
]
