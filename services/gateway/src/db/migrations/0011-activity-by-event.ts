import type { Migration } from '@notify/database'

/** The items of one kind and event by time; see activity/kind-sql.ts. */
export const activityByEvent: Migration = {
  name: '0011-activity-by-event',
  index: {
    name: 'activity_by_event',
    on: `on activity ((hashtextextended(tenant_id || ' ' || application_id || ' ' || mode || ' ' || channel || ' ' || status
      || ' ' || retryable::text || ' ' || event_key, 0)), created_at, id) where event_key is not null`,
  },
}
