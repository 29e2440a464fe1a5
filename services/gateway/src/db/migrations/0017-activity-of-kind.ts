import type { Migration } from '@notify/database'

/** Without the id, which only orders items of the same millisecond, an entry takes half the space; see activity/kind-sql.ts. */
export const activityOfKind: Migration = {
  name: '0017-activity-of-kind',
  index: {
    name: 'activity_of_kind',
    on: `on activity ((hashtextextended(tenant_id || ' ' || application_id || ' ' || mode || ' ' || channel || ' ' || status
      || ' ' || retryable::text, 0)), created_at)`,
  },
}
