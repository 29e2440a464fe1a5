import { notificationChanged } from '@notify/contracts'
import { enqueueSql } from '@notify/database'

/**
 * SQL for the fact of a `notifications` row: the schema of `notificationChanged`. Unknown values are left out.
 * @param more further members, after a comma
 */
export const factSql = (more = '') => `json_strip_nulls(json_build_object(
      'notification_id', id, 'tenant_id', tenant_id, 'application_id', application_id, 'mode', mode, 'revision', revision,
      'lane', lane, 'channel', channel, 'event_key', event_key, 'status', status, 'recipient_masked', recipient_masked,
      'recipient_index', recipient_index,
      'metadata', case when status in ('delivered', 'undelivered', 'failed')
        then translate(encode(metadata, 'base64'), E'\\n', '') end,
      'failure_reason', failure_reason, 'retryable', retryable,
      'retry_count', retry_count, 'credits', credits, 'category', category, 'country_prefix', country_prefix, 'segments', segments,
      'locale', locale, 'requested_locale', requested_locale, 'broadcast_id', broadcast_id, 'digest_id', digest_id,
      'created_at', created_at, 'occurred_at', updated_at${more}))`

/** SQL that enqueues the fact of each row of a relation with the columns of `notifications`. */
export function factsInto(relation: string): string {
  return enqueueSql(notificationChanged, relation, factSql())
}

/**
 * The same for reported outcomes; the rows contain their former values in `old_status` and `old_when_due`. A message that was
 * given up, and then found to be sent, has `give_up` until the next report.
 */
export function reportedFactsInto(relation: string): string {
  const hasFailed = `old_status in ('failed', 'undelivered') or old_status = 'sent' and old_when_due = 'give_up' and status = 'delivered'`
  const afterFailure = `, 'after_failure', case when ${hasFailed} then true end`
  return enqueueSql(notificationChanged, relation, factSql(afterFailure))
}
