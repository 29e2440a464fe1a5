import type { Migration } from '@notify/database'

/** Translations of stored templates, and what each was made from. */
export const templateTranslations: Migration = {
  name: '0008-template-translations',
  transaction: ['alter table templates add column translations jsonb, add column translation_bases jsonb'],
}
