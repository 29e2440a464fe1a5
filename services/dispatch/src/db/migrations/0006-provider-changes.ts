import type { Migration } from '@notify/database'

export const providerChanges: Migration = {
  name: '0006-provider-changes',
  transaction: [
    `alter table providers
       add column account_id text,
       add column credentials_updated_at timestamptz not null default now(),
       add column updated_by text,
       add column created_at timestamptz not null default now(),
       add column deleted_at timestamptz,
       add column purged_at timestamptz`,
  ],
}
