import type { Migration } from '@notify/database'

export const baseline: Migration = {
  name: '0001-baseline',
  transaction: [
    `create table providers (
         id text primary key,
         tenant_id text not null,
         application_id text,
         priority int not null default 100,
         revision int not null default 1,
         own boolean not null default false,
         reserved_for text,
         secret bytea,
         previous_secret bytea,
         previous_until timestamptz,
         older_secret bytea,
         older_until timestamptz,
         retry_delays int[],
         updated_at timestamptz not null default now(),
         deleted_at timestamptz,
         removed_at timestamptz
       )`,
    `create index providers_tenant on providers (tenant_id, priority, id) where not own`,
    `create index providers_reserved on providers (updated_at) where reserved_for is not null`,
    `create table subscriptions (
         id text primary key,
         tenant_id text not null,
         application_id text not null,
         provider_id text not null,
         url bytea not null,
         events text[] not null,
         description text not null,
         status text not null default 'active' check (status in ('active', 'disabled')),
         disabled_reason text check (disabled_reason in ('operator', 'gone', 'failing')),
         revision int not null default 1,
         created_at timestamptz not null default now(),
         updated_at timestamptz not null default now()
       )`,
    `create index subscriptions_application on subscriptions (tenant_id, application_id, id)`,
    `create table endpoints (
         id text primary key,
         tenant_id text not null,
         active boolean not null default true,
         next_due_at timestamptz,
         leased_until timestamptz,
         struggling boolean not null default false,
         failures int not null default 0,
         failing_since timestamptz,
         failed_at timestamptz,
         deleted_at timestamptz
       ) with (fillfactor = 50)`,
    `create index endpoints_due_of_tenant on endpoints (struggling, tenant_id, next_due_at)
       where active and next_due_at is not null`,
    `create index endpoints_due on endpoints (struggling, next_due_at) where active and next_due_at is not null`,
    `create index endpoints_disabled on endpoints (id) where not active and deleted_at is null`,
    `create index endpoints_deleted on endpoints (id) where deleted_at is not null`,
    `create table deliveries (
         id text primary key,
         tenant_id text not null,
         application_id text not null,
         endpoint_id text not null,
         subscription_id text,
         notification_id text,
         recipient_index text,
         retry_count int not null default 0,
         event_type text not null,
         topic text,
         provider_id text,
         url bytea,
         body bytea not null,
         traceparent text,
         arrived boolean not null default false,
         created_at timestamptz not null default now(),
         -- What updates change comes last: Postgres logs a new version from the first byte that differs.
         status text not null default 'pending' check (status in ('pending', 'succeeded', 'exhausted')),
         attempts int not null default 0,
         charged int not null default 0,
         held int not null default 0,
         next_attempt_at timestamptz,
         last_status int,
         last_error text,
         finished_at timestamptz
       ) with (fillfactor = 80)`,
    `create index deliveries_due on deliveries (endpoint_id, next_attempt_at) where next_attempt_at is not null`,
    `create unique index deliveries_of_facts on deliveries (notification_id, subscription_id, event_type, retry_count)
       where subscription_id is not null and notification_id is not null`,
    `create unique index deliveries_of_hand_offs on deliveries (notification_id, retry_count) where subscription_id is null`,
    `create index deliveries_of_subscription on deliveries (subscription_id, status, id)`,
    `create index deliveries_finished on deliveries (finished_at) where finished_at is not null`,
    `create table attempts (
         delivery_id text not null,
         number int not null,
         started_at timestamptz not null default now(),
         finished_at timestamptz,
         duration_ms int,
         status int,
         error text,
         response bytea,
         id text generated always as (delivery_id || '.' || number::text) stored unique,
         primary key (delivery_id, number)
       )`,
    `create table fan_outs (
         id text primary key,
         tenant_id text not null,
         weight int not null,
         event bytea not null,
         recipient_index text,
         created_at timestamptz not null default now(),
         next_at timestamptz not null default now()
       )`,
    `create index fan_outs_of_tenant on fan_outs (tenant_id, next_at)`,
    `create index fan_outs_due on fan_outs (next_at)`,
    `create table replays (
         subscription_id text primary key,
         tenant_id text not null,
         since timestamptz not null,
         count int not null,
         replayed int not null default 0,
         reached text not null default '',
         next_at timestamptz,
         requested_at timestamptz not null default now(),
         finished_at timestamptz
       )`,
    `create index replays_due on replays (next_at) where next_at is not null`,
    `create index replays_due_of_tenant on replays (tenant_id, next_at) where next_at is not null`,
    // A function, so that locks are held for no round trip: a statement that stores a delivery waits for them. Each statement sees
    // what was committed before it.
    `create function release_endpoints(held json) returns void language plpgsql set search_path from current as $$
       begin
         perform from endpoints where id = any(array(select h.id from json_to_recordset(held) as h (id text)))
           order by id for update;
         -- Not before now: the endpoints of the tenant that wait go first, however old these deliveries are.
         update endpoints set leased_until = null, next_due_at = (
             select greatest(next_attempt_at, now()) from deliveries
             where endpoint_id = endpoints.id and next_attempt_at is not null
             order by next_attempt_at limit 1)
           from json_to_recordset(held) as h (id text, lease timestamptz)
           where endpoints.id = h.id and endpoints.leased_until = h.lease;
       end $$`,
  ],
}
