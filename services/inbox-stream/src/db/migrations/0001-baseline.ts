import type { Migration } from '@notify/database'

export const baseline: Migration = {
  name: '0001-baseline',
  transaction: [
    `create table applications (
       id text primary key,
       tenant_id text not null,
       revision int not null,
       allowed_origins text[] not null default '{}',
       status text not null check (status in ('active', 'revoked')),
       moved_to text,
       updated_at timestamptz not null default now()
     )`,
    'create index applications_by_origin on applications using gin (allowed_origins)',
    `create table inboxes (
       key text collate "C" primary key,
       tenant_id text not null,
       application_id text not null,
       last_seq int not null,
       read_all_seq int not null default 0,
       pruned_seq int not null default 0,
       unread_count int not null
     ) with (fillfactor = 50)`,
    `create table inbox_start (
       one boolean primary key default true check (one),
       seq int not null
     )`,
    `create table inbox_items (
       id text primary key,
       tenant_id text not null,
       inbox_key text collate "C" not null,
       notification_id text not null unique,
       seq int not null,
       touched_seq int not null,
       is_read boolean not null default false,
       category_index text,
       content bytea,
       created_at timestamptz not null default now(),
       deleted_at timestamptz
     ) with (fillfactor = 90)`,
    // Encrypted already, so it does not compress.
    'alter table inbox_items alter column content set storage external',
    'create index inbox_items_newest on inbox_items (inbox_key, seq desc) where deleted_at is null',
    'create index inbox_items_unread on inbox_items (inbox_key, seq desc) where deleted_at is null and not is_read',
    `create index inbox_items_unread_again on inbox_items (inbox_key, touched_seq)
     where deleted_at is null and not is_read and touched_seq > seq`,
    `create index inbox_items_by_category on inbox_items (inbox_key, category_index, seq desc)
     where deleted_at is null and category_index is not null`,
    'create index inbox_items_oldest on inbox_items (created_at)',
    `create table inbox_events (
       inbox_key text collate "C" not null,
       seq int not null,
       kind text not null check (kind in ('created', 'read', 'unread', 'read_all', 'deleted')),
       item_id text,
       unread_count int not null,
       occurred_at timestamptz not null default now(),
       primary key (inbox_key, seq)
     )`,
    'create index inbox_events_oldest on inbox_events (occurred_at)',
    // Notifications that arrived before the one that precedes them; nearly always none.
    `create table waiting_items (
       notification_id text primary key,
       after text not null,
       id text not null,
       tenant_id text not null,
       application_id text not null,
       inbox_key text collate "C" not null,
       category_index text,
       topic text,
       content bytea not null,
       retry_count int not null,
       traceparent text,
       arrived_at timestamptz not null default now()
     )`,
    'create index waiting_items_of_inbox on waiting_items (inbox_key)',
    // Unlogged: after a crash of Postgres the replicas that hold the streams write these rows again.
    `create unlogged table stream_replicas (
       id text primary key,
       seen_at timestamptz not null default now()
     )`,
    `create unlogged table open_streams (
       inbox_key text collate "C" not null,
       replica_id text not null,
       streams int not null,
       primary key (inbox_key, replica_id)
     )`,
    'create index open_streams_of_replica on open_streams (replica_id)',
  ],
}
