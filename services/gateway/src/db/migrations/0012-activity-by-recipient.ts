import type { Migration } from '@notify/database'

/** A recipient's blind index is made with a key of its tenant, so no tenant stands before it. */
export const activityByRecipient: Migration = {
  name: '0012-activity-by-recipient',
  index: { name: 'activity_by_recipient', on: 'on activity (recipient_index, status, created_at, id)' },
}
