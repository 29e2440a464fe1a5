import type { Migration } from '@notify/database'

/** Replaced by those above; release 0.1 uses none of them. */
export const activityWideIndexes: Migration = {
  name: '0020-activity-wide-indexes',
  transaction: ['drop index activity_by_kind', 'drop index activity_by_event', 'drop index activity_by_recipient'],
}
