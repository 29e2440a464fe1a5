import type { Migration } from '@notify/database'

/** What carriers say of the domains that they register. Rows of before are `unmanaged` until the carrier is asked. */
export const carrierDomains: Migration = {
  name: '0005-carrier-domains',
  transaction: [
    `alter table domain_identities
       add column status text not null default 'unmanaged',
       add column records jsonb not null default '[]',
       add column reference text,
       add column is_ours boolean not null default true,
       add column created_at timestamptz`,
  ],
}
