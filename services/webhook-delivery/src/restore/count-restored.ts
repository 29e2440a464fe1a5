import { column, defineStatement, pick, type Queries, type Restored } from '@notify/database'
import { tables } from '../db/schema.ts'
import { valuesOf, waiting } from './settle-restored.ts'

const count = defineStatement({
  name: 'count-restored',
  isPrepared: false,
  text: `select tenant_id, subscription_id, count(*)::int as count, min(created_at) as oldest, max(created_at) as newest
         from (${waiting}) as waiting group by 1, 2 order by 1, 2`,
  columns: {
    ...pick(tables.deliveries, 'tenant_id', 'subscription_id'),
    count: column.integer(),
    oldest: column.timestamp(),
    newest: column.timestamp(),
  },
})

/** Counts waiting deliveries that may have been sent already, by tenant and subscription. */
export function countRestored(db: Queries, restored: Restored): Promise<object[]> {
  return db.runLong(count, valuesOf(restored))
}
