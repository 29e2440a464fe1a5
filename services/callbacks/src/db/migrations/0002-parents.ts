import type { Migration } from '@notify/database'

export const parents: Migration = {
  name: '0002-parents',
  transaction: [
    'alter table providers add column parent_id text',
    'alter table providers add column verify_token bytea',
  ],
}
