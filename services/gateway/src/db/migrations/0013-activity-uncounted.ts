import type { Migration } from '@notify/database'

/** What a replica of an earlier release has written and `countUncounted` has not marked yet. */
export const activityUncounted: Migration = {
  name: '0013-activity-uncounted',
  index: { name: 'activity_uncounted', on: 'on activity (id) where not counted' },
}
