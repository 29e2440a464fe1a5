/**
 * Seconds since acceptance, or since the time that the caller or the user chose; never negative, although a failover may set
 * the clock back.
 */
const seconds = 'greatest(0, extract(epoch from updated_at - greatest(created_at, send_at)))::float8'

/**
 * SQL for the latencies of changed notifications, as one JSON array. Retries by operators and test messages are left out,
 * because they do not show how fast the service is.
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
