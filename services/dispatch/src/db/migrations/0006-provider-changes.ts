import type { Migration } from '@notify/database'

export const providerChanges: Migration = {
  name: '0006-provider-changes',
  transaction: [
    `alter table providers
       add column account_id text,
       add column credentials_updated_at timestamptz,
       add column updated_by text,
       add column created_at timestamptz,
       add column deleted_at timestamptz,
       add column purged_at timestamptz`,
    // Providers of earlier releases have neither.
    `alter table providers alter column created_at set default now(), alter column credentials_updated_at set default now()`,
  ],
}
