/**
 * SQL for the hash of a kind: items that differ only in time, recipient and event. With `event` it is that of the items of
 * one event. The text must be that of the indexes `activity_of_kind` and `activity_of_event`.
 * @param row relation with the columns of a kind
 * @param tenant SQL for the tenant, where the relation has no such column
 */
export function kindOf(row: string, tenant = `${row}.tenant_id`, event?: string): string {
  const columns = ['application_id', 'mode', 'channel', 'status', 'retryable::text'].map((column) => `${row}.${column}`)
  return `hashtextextended(${[tenant, ...columns, ...(event ? [event] : [])].join(` || ' ' || `)}, 0)`
}
