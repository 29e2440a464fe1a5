import type { Migration } from '@notify/database'

/** Replaced by those above. Replicas of the previous release read their lists by `activity_by_time` meanwhile. */
export const activityOldIndexes: Migration = {
  name: '0015-activity-old-indexes',
  transaction: ['drop index activity_newest', 'drop index activity_by_status', 'drop index activity_by_channel'],
}
