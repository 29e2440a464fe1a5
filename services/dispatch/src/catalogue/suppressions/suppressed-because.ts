/**
 * SQL: the reason why the recipient of a row is suppressed now, or null. Test messages are never suppressed.
 * @param row name of a row with `tenant_id`, `channel`, `mode` and `recipient_index`
 */
// `lifted_at` is checked after the lookup: as a condition it would let Postgres scan the tenant's list.
export const suppressedBecause = (row: string): string => `(
  case when ${row}.mode = 'live' then (
    select case when s.lifted_at is null then s.reason end from suppressions s
    where s.tenant_id = ${row}.tenant_id and s.channel = ${row}.channel and s.recipient_index = ${row}.recipient_index)
  end)`
