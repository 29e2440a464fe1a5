import type { Migration } from '@notify/database'

/** The language of the text of a notification, and the one that was asked for. */
export const notificationLocales: Migration = {
  name: '0009-notification-locales',
  transaction: ['alter table notifications add column locale text, add column requested_locale text'],
}
