import type { Migration } from '@notify/database'

/** Ascending: a new item goes to the last page of the index, which is then filled and not split in half. */
export const activityByTime: Migration = {
  name: '0009-activity-by-time',
  index: { name: 'activity_by_time', on: 'on activity (tenant_id, created_at, id)' },
}
