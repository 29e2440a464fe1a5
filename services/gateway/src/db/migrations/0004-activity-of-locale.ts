import type { Migration } from '@notify/database'

/** The kind of an item; the same text as in activity/kind-sql.ts. */
const kind = `tenant_id || ' ' || application_id || ' ' || mode || ' ' || channel || ' ' || status || ' ' || retryable::text`

/** Leads to the items in a language by kind. Most items have none, and no entry. */
export const activityOfLocale: Migration = {
  name: '0004-activity-of-locale',
  index: {
    name: 'activity_of_locale',
    on: `on activity ((hashtextextended(${kind} || ' ' || locale, 0)), created_at) where locale is not null`,
  },
}
