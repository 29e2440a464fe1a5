import { type Expression, sql } from 'kysely'

/**
 * SQL for the hash of a kind: items that differ only in time, recipient, event and language. With `part` it is that of the items
 * of one event or language. The text must be that of the indexes `activity_of_kind`, `activity_of_event` and `activity_of_locale`.
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
