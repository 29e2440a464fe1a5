import type { Migration } from '@notify/database'

export const deletedProviders: Migration = {
  name: '0002-deleted-providers',
  transaction: ['alter table providers add column deleted_at timestamptz'],
}
