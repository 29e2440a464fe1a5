import { otpChanged } from '@notify/contracts'
import { enqueueSql } from '@notify/database'

/**
 * SQL that publishes changed transactions.
 * @param source relation with whole rows of `transactions`
 */
export const factsInto = (source: string) =>
  enqueueSql(
    otpChanged,
    source,
    `json_build_object('transaction_id', id, 'tenant_id', tenant_id, 'application_id', application_id, 'mode', mode,
       'revision', revision, 'channel', channel, 'status', status, 'recipient_masked', recipient_masked,
       'recipient_index', recipient_index, 'failure_reason', failure_reason,
       'locale', locale, 'requested_locale', language, 'created_at', created_at,
       'occurred_at', updated_at)`,
  )
