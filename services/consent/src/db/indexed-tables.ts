import type { IndexedTable } from '@notify/database'
import { encryptedColumns } from './encrypted-columns.ts'

/** Every table with blind indexes; `reindex` renews them. */
export const indexedTables: readonly IndexedTable[] = [
  { table: 'consents', indexes: ['recipient_index'] },
  { table: 'consent_entries', indexes: ['recipient_index', 'evidence_index'] },
  { table: 'erased_evidence', indexes: ['recipient_index', 'evidence_index'] },
  {
    table: 'users',
    indexes: ['user_index'],
    sealed: encryptedColumns.find(({ table }) => table === 'users')!,
  },
  { table: 'waiting_changes', indexes: ['user_index'] },
]
