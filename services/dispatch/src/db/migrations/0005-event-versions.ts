import type { Migration } from '@notify/database'

/** `events` keeps what is sent; `draft` what an operator prepares beside it. */
export const eventVersions: Migration = {
  name: '0005-event-versions',
  transaction: [
    `alter table events add column draft jsonb, add column updated_by text, add column created_at timestamptz`,
    // Events of earlier releases have none.
    `alter table events alter column created_at set default now()`,
    `create table event_versions (
         tenant_id text not null,
         application_id text not null,
         event_key text not null,
         version int not null,
         name text not null,
         allowed_channels text[] not null,
         templates jsonb not null,
         published_by text,
         published_at timestamptz not null default now(),
         primary key (application_id, event_key, version)
       )`,
  ],
}
