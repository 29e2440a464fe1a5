import type { IndexedTable } from '@notify/database'

/** Every table with blind indexes; `reindex` renews them. */
export const indexedTables: readonly IndexedTable[] = [
  { table: 'transactions', indexes: ['recipient_index'] },
  { table: 'messages', indexes: ['recipient_index'] },
]
