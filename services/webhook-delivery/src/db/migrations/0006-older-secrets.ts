import type { Migration } from '@notify/database'

export const olderSecrets: Migration = {
  name: '0006-older-secrets',
  transaction: ['alter table providers add column older_secret bytea, add column older_until timestamptz'],
}
