import { type Expression, sql } from 'kysely'

/**
 * SQL for the hash of a kind: items that differ only in time, recipient and event. With `event` it is that of the items of
 * one event. The text must be that of the indexes `activity_of_kind` and `activity_of_event`.
 * @param row relation with the columns of a kind
 * @param tenant SQL for the tenant, where the relation has no such column
 */
export function kindOf(
  row: string,
  tenant: Expression<unknown> = sql.ref(`${row}.tenant_id`),
  event?: Expression<unknown>,
) {
  const columns = ['application_id', 'mode', 'channel', 'status'].map((column) => sql.ref(`${row}.${column}`))
  const retryable = sql`${sql.ref(`${row}.retryable`)}::text`
  const parts = [tenant, ...columns, retryable, ...(event ? [event] : [])]
  return sql<bigint>`hashtextextended(${sql.join(parts, sql` || ' ' || `)}, 0)`
}
