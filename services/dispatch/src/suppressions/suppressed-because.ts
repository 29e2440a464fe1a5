/**
 * SQL: why nobody may write to the recipient of a row, as of this very moment; null when everybody may. What a test key sends
 * reaches the sandbox alone, and learns nothing of what recipients told live keys.
 * @param row name of a row with `tenant_id`, `channel`, `mode` and `recipient_index`
 */
// Whether it was lifted is asked after the look-up: among its conditions, Postgres would walk the tenant's list for one recipient.
export const suppressedBecause = (row: string): string => `(
  case when ${row}.mode = 'live' then (
    select case when s.lifted_at is null then s.reason end from suppressions s
    where s.tenant_id = ${row}.tenant_id and s.channel = ${row}.channel and s.recipient_index = ${row}.recipient_index)
  end)`
