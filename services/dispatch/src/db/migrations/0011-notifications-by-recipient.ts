import type { Migration } from '@notify/database'

/** A hash keeps the entries short: they are read only when a person is erased. */
export const notificationsByRecipient: Migration = {
  name: '0011-notifications-by-recipient',
  index: { name: 'notifications_by_recipient', on: 'on notifications ((hashtextextended(recipient_index, 0)))' },
}
