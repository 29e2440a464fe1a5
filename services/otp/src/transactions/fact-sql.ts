import { otpChanged } from '@notify/contracts'
import { enqueueSql } from '@notify/database'

/** @param more further members, after a comma */
const objectSql = (more: string) => `json_build_object('transaction_id', id, 'tenant_id', tenant_id,
       'application_id', application_id, 'mode', mode, 'revision', revision, 'channel', channel, 'status', status,
       'recipient_masked', recipient_masked, 'recipient_index', recipient_index, 'failure_reason', failure_reason,
       'created_at', created_at, 'occurred_at', updated_at${more})`

/**
 * SQL that publishes changed transactions. A fact carries languages only where one is known.
 * @param source relation with whole rows of `transactions`
 */
export const factsInto = (source: string) =>
  enqueueSql(
    otpChanged,
    source,
    `case when coalesce(locale, language) is null then ${objectSql('')}
       else ${objectSql(`, 'locale', locale, 'requested_locale', language`)} end`,
  )
