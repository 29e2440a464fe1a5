import type { Migration } from '@notify/database'

/** The items of one kind by time. A hash keeps the entries short; see activity/kind-sql.ts. */
export const activityByKind: Migration = {
  name: '0010-activity-by-kind',
  index: {
    name: 'activity_by_kind',
    on: `on activity ((hashtextextended(tenant_id || ' ' || application_id || ' ' || mode || ' ' || channel || ' ' || status
      || ' ' || retryable::text, 0)), created_at, id)`,
  },
}
