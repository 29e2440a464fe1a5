import type { Migration } from '@notify/database'

/** Leads to the usage of all tenants on a day. */
export const usageByDay: Migration = {
  name: '0021-usage-by-day',
  index: { name: 'usage_days_by_day', on: 'on usage_days (day)' },
}
