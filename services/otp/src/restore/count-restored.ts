import { column, defineStatement, type Queries, type Restored } from '@notify/database'
import { tables } from '../db/schema.ts'
import { valuesOf, waiting } from './settle-restored.ts'

const count = defineStatement({
  name: 'count-restored',
  isPrepared: false,
  text: `select tenant_id, count(*)::int as count, min(created_at) as oldest, max(created_at) as newest
         from messages m where ${waiting} group by 1 order by 1`,
  columns: {
    tenant_id: tables.messages.tenant_id,
    count: column.integer(),
    oldest: column.timestamp(),
    newest: column.timestamp(),
  },
})

/** Counts codes that wait and may have been sent already, by tenant. */
export function countRestored(db: Queries, restored: Restored): Promise<object[]> {
  return db.runLong(count, valuesOf(restored))
}
