import type { Migration } from '@notify/database'

/** The translations that a version was published with. */
export const versionTranslations: Migration = {
  name: '0007-version-translations',
  transaction: ['alter table event_versions add column translations jsonb, add column translation_bases jsonb'],
}
