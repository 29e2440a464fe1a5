/** Acceptance, or the moment for which the caller scheduled it or the user asked. Clocks that a failover sets back give no negative time. */
const seconds = 'greatest(0, extract(epoch from updated_at - greatest(created_at, send_at)))::float8'

/**
 * SQL for the latencies of changed notifications, as one JSON array. An operator's retry comes hours later and test messages reach
 * nobody: neither says how fast the service is.
 * @param relation rows of `notifications` after the change, with `old_status`
 */
export const latenciesSql = (relation: string): string => `
  select coalesce(json_agg(latency), '[]') from (
    select channel, lane,
      case when old_status = 'queued' then ${seconds} end as handed_over,
      case when status = 'delivered' then ${seconds} end as delivered
    from ${relation}
    where mode = 'live' and retry_count = 0
      and (status = 'delivered' or (status in ('sent', 'undelivered') and old_status = 'queued'))
  ) as latency`
