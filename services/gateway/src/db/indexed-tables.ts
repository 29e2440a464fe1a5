import type { IndexedTable } from '@notify/database'

/** Every table with blind indexes; `reindex` renews them. */
export const indexedTables: readonly IndexedTable[] = [
  { table: 'activity', indexes: ['recipient_index'] },
  { table: 'retry_jobs', documents: { filters: 'jsonb' } },
]
