/**
 * SQL that puts the fact `dispatch.notification.<status>` of each row of a relation into the outbox; the relation holds
 * whole `notifications` rows. The payload is the schema of `notificationChanged`.
 */
export function factsInto(relation: string): string {
  return `insert into outbox (subject, payload, traceparent)
    select 'dispatch.notification.' || status, json_build_object(
      'notification_id', id, 'tenant_id', tenant_id, 'application_id', application_id, 'revision', revision,
      'channel', channel, 'event_key', event_key, 'status', status, 'recipient_masked', recipient_masked,
      'recipient_index', recipient_index, 'failure_reason', failure_reason, 'retryable', retryable,
      'retry_count', retry_count, 'created_at', ${iso('created_at')}, 'occurred_at', ${iso('updated_at')})::text, traceparent
    from ${relation}`
}

/** SQL that puts the work `dispatch.send.<lane>.<channel>` of each row of a relation into the outbox. */
export function workInto(relation: string): string {
  return `insert into outbox (subject, payload, traceparent)
    select 'dispatch.send.' || lane || '.' || channel,
      json_build_object('notification_id', id, 'lane', lane, 'channel', channel)::text, traceparent
    from ${relation}`
}

function iso(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}
