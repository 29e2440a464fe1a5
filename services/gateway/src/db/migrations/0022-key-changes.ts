import type { Migration } from '@notify/database'

export const keyChanges: Migration = {
  name: '0022-key-changes',
  transaction: ['alter table api_keys add column updated_at timestamptz'],
}
