import type { Migration } from '@notify/database'

export const applications: Migration = {
  name: '0002-applications',
  transaction: [
    `create table applications (
         id text primary key,
         tenant_id text not null,
         revision int not null,
         settings jsonb not null,
         updated_at timestamptz not null default now()
       )`,
  ],
}
