import type { IndexedTable } from '@notify/database'

/** Every table with blind indexes; `reindex` renews them. */
export const indexedTables: readonly IndexedTable[] = [
  { table: 'deliveries', indexes: ['recipient_index'] },
  { table: 'fan_outs', indexes: ['recipient_index'] },
]
