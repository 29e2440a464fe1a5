import type { Migration } from '@notify/database'

/** Translations of events, and what each was made from. */
export const eventTranslations: Migration = {
  name: '0006-event-translations',
  transaction: ['alter table events add column translations jsonb, add column translation_bases jsonb'],
}
