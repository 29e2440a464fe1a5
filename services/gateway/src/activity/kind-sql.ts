/** SQL columns or parameters that make a kind. */
interface Kind {
  tenant: string
  application: string
  mode: string
  channel: string
  status: string
  retryable: string
  event?: string
}

/**
 * SQL for the hash of a kind: items that differ only in time and recipient, and with an event those of that event. The text
 * must be that of the indexes `activity_by_kind` and `activity_by_event`.
 */
export function kindSql({ tenant, application, mode, channel, status, retryable, event }: Kind): string {
  const parts = [tenant, application, mode, channel, status, `${retryable}::text`, ...(event ? [event] : [])]
  return `hashtextextended(${parts.join(` || ' ' || `)}, 0)`
}

/** The same of the columns of a relation. */
export function kindOf(row: string, tenant = `${row}.tenant_id`, event?: string): string {
  return kindSql({
    tenant,
    application: `${row}.application_id`,
    mode: `${row}.mode`,
    channel: `${row}.channel`,
    status: `${row}.status`,
    retryable: `${row}.retryable`,
    ...(event ? { event } : {}),
  })
}
