import type { Migration } from '@notify/database'

/** The language and the time zone of messages whose request names none. */
export const defaultLocales: Migration = {
  name: '0002-default-locales',
  transaction: ['alter table applications add column default_locale text, add column default_time_zone text'],
}
