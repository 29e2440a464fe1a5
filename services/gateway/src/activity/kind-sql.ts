import { type Expression, sql } from 'kysely'

/**
 * SQL for the hash of a kind: items that differ in nothing that is counted. With `part` it is that of one event, language or
 * broadcast. The text must be that of the indexes in db/baseline/activity.ts.
 * @param row relation with the columns of a kind
 * @param tenant SQL for the tenant, where the relation has no such column
 */
export function kindOf(
  row: string,
  tenant: Expression<unknown> = sql.ref(`${row}.tenant_id`),
  part?: Expression<unknown>,
) {
  const columns = ['application_id', 'mode', 'channel', 'status'].map((column) => sql.ref(`${row}.${column}`))
  const retryable = sql`${sql.ref(`${row}.retryable`)}::text`
  const parts = [tenant, ...columns, retryable, ...(part ? [part] : [])]
  return sql<bigint>`hashtextextended(${sql.join(parts, sql` || ' ' || `)}, 0)`
}
