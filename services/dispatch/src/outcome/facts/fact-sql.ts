import { notificationChanged } from '@notify/contracts'
import { enqueueSql } from '@notify/database'

/** @param more further members, after a comma */
const objectSql = (more: string) => `json_build_object(
      'notification_id', id, 'tenant_id', tenant_id, 'application_id', application_id, 'mode', mode, 'revision', revision,
      'lane', lane, 'channel', channel, 'event_key', event_key, 'status', status, 'recipient_masked', recipient_masked,
      'recipient_index', recipient_index,
      'metadata', case when status in ('delivered', 'undelivered', 'failed')
        then translate(encode(metadata, 'base64'), E'\\n', '') end,
      'failure_reason', failure_reason, 'retryable', retryable,
      'retry_count', retry_count, 'credits', credits, 'category', category, 'created_at', created_at, 'occurred_at', updated_at${more})`

const phone = `, 'country_prefix', country_prefix, 'segments', segments`
const locales = `, 'locale', locale, 'requested_locale', requested_locale`

/**
 * SQL for the fact of a `notifications` row: the schema of `notificationChanged`. Most have no language and are part of no broadcast
 * or digest, and carry none of them; those to other recipients than numbers carry no country.
 * @param more further members, after a comma
 */
export const factSql = (
  more = '',
) => `case when coalesce(country_prefix, locale, requested_locale, broadcast_id, digest_id) is null then ${objectSql(more)}
      when coalesce(locale, requested_locale, broadcast_id, digest_id) is null then ${objectSql(`${phone}${more}`)}
      when digest_id is not null then ${objectSql(`${phone}${locales}, 'digest_id', digest_id${more}`)}
      when broadcast_id is null then ${objectSql(`${phone}${locales}${more}`)}
      else ${objectSql(`${phone}${locales}, 'broadcast_id', broadcast_id${more}`)} end`

/** SQL that enqueues the fact of each row of a relation with the columns of `notifications`. */
export function factsInto(relation: string): string {
  return enqueueSql(notificationChanged, relation, factSql())
}

/** The same for reported outcomes: rows that have their former state in `old_status`. */
export function reportedFactsInto(relation: string): string {
  const afterFailure = `, 'after_failure', old_status in ('failed', 'undelivered')`
  return enqueueSql(notificationChanged, relation, factSql(afterFailure))
}
