import type { Migration } from '@notify/database'

/** A recipient's blind index is made with a key of its tenant, so no tenant stands before it. A hash of it keeps the entries short. */
export const activityOfRecipient: Migration = {
  name: '0019-activity-of-recipient',
  index: {
    name: 'activity_of_recipient',
    on: 'on activity ((hashtextextended(recipient_index, 0)), created_at)',
  },
}
