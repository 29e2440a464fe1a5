import type { Migration } from '@notify/database'

/** Notifications that arrived before the one that precedes them; nearly always none. */
export const waitingItems: Migration = {
  name: '0003-waiting-items',
  transaction: [
    `create table waiting_items (
       notification_id text primary key,
       after text not null,
       id text not null,
       tenant_id text not null,
       application_id text not null,
       inbox_key text collate "C" not null,
       category_index text,
       content bytea not null,
       retry_count int not null,
       traceparent text,
       arrived_at timestamptz not null default now()
     )`,
    'create index waiting_items_of_inbox on waiting_items (inbox_key)',
  ],
}
