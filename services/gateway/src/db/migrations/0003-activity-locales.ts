import type { Migration } from '@notify/database'

/** The language of the text of an item, and the one that was asked for. */
export const activityLocales: Migration = {
  name: '0003-activity-locales',
  transaction: ['alter table activity add column locale text, add column requested_locale text'],
}
