import type { Migration } from '@notify/database'

/** A row without secrets stays: a change from before the removal that arrives later has an older revision, and changes nothing. */
export const removedProviders: Migration = {
  name: '0005-removed-providers',
  transaction: ['alter table providers add column removed_at timestamptz'],
}
