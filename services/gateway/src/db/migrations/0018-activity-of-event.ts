import type { Migration } from '@notify/database'

/** See activity/kind-sql.ts. */
export const activityOfEvent: Migration = {
  name: '0018-activity-of-event',
  index: {
    name: 'activity_of_event',
    on: `on activity ((hashtextextended(tenant_id || ' ' || application_id || ' ' || mode || ' ' || channel || ' ' || status
      || ' ' || retryable::text || ' ' || event_key, 0)), created_at) where event_key is not null`,
  },
}
