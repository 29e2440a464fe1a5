import type { Migration } from '@notify/database'

export const foundation: Migration = {
  name: '0001-foundation',
  transaction: [
    `create table tenants (
         id text primary key,
         name text not null,
         rate_limit_per_second int,
         created_at timestamptz not null default now()
       )`,
    `create table applications (
         id text primary key,
         tenant_id text not null references tenants,
         name text not null,
         allowed_origins text[] not null default '{}',
         created_at timestamptz not null default now()
       )`,
    `create table api_keys (
         id text primary key,
         tenant_id text not null references tenants,
         application_id text not null references applications,
         name text not null,
         mode text not null check (mode in ('live', 'test')),
         permissions text[] not null,
         sha256 text not null,
         rate_limit_per_second int,
         revoked_at timestamptz,
         created_at timestamptz not null default now()
       )`,
    `create table activity (
         id text primary key,
         tenant_id text not null,
         application_id text not null,
         revision int not null,
         mode text not null default 'live',
         channel text not null,
         status text not null,
         event_key text,
         recipient_masked text not null,
         recipient_index text not null,
         failure_reason text,
         retryable boolean not null,
         retry_count int not null,
         created_at timestamptz not null,
         updated_at timestamptz not null
       ) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05)`,
    `create index activity_newest on activity (tenant_id, created_at desc, id desc)`,
    `create index activity_by_status on activity (tenant_id, status, created_at desc, id desc)`,
    `create index activity_by_channel on activity (tenant_id, channel, created_at desc, id desc)`,
    `create table activity_counts (
         tenant_id text not null,
         application_id text not null,
         channel text not null,
         status text not null,
         count bigint not null,
         primary key (tenant_id, application_id, channel, status)
       ) with (fillfactor = 50)`,
  ],
}
