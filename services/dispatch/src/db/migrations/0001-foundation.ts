import type { Migration } from '@notify/database'

export const foundation: Migration = {
  name: '0001-foundation',
  transaction: [
    `create table events (
         tenant_id text not null,
         application_id text not null,
         event_key text not null,
         name text not null,
         status text not null check (status in ('draft', 'published', 'inactive')),
         version int not null,
         allowed_channels text[] not null,
         templates jsonb not null,
         updated_at timestamptz not null default now(),
         primary key (application_id, event_key)
       )`,
    `create table providers (
         id text primary key,
         tenant_id text not null,
         application_id text,
         channel text not null,
         kind text not null,
         name text not null,
         priority int not null,
         rate_limit_per_second int check (rate_limit_per_second between 1 and 10000),
         revision int not null default 1,
         credentials bytea not null,
         updated_at timestamptz not null default now()
       )`,
    `create index providers_tenant on providers (tenant_id, channel, priority)`,
    // A notification is updated a few times soon after it is made: room in its page keeps those updates off the indexes.
    `create table notifications (
         id text primary key,
         tenant_id text not null,
         application_id text not null,
         channel text not null,
         lane text not null,
         mode text not null,
         event_key text,
         status text not null default 'queued',
         revision int not null default 1,
         recipient_masked text not null,
         recipient_index text not null,
         payload bytea,
         metadata bytea,
         credits smallint not null,
         failure_reason text,
         retryable boolean not null default false,
         retry_count smallint not null default 0,
         attempt_count smallint not null default 0,
         round_attempts smallint not null default 0,
         sending boolean not null default false,
         next_attempt_at timestamptz,
         when_due text not null default 'send' check (when_due in ('send', 'give_up')),
         failovers smallint not null default 0,
         held_since timestamptz,
         send_at timestamptz,
         receipt_overdue boolean not null default false,
         -- Whether anything is still to come. Kept by Postgres itself, so that no statement can forget it.
         settled boolean not null generated always as
           (status in ('delivered', 'undelivered', 'failed', 'cancelled') or receipt_overdue) stored,
         enqueued_at timestamptz not null default now(),
         traceparent text,
         created_at timestamptz not null default date_trunc('milliseconds', now()),
         updated_at timestamptz not null default now()
       ) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05)`,
    // What was lost is looked for lane by lane: the queue of one must not be walked through to find that of another.
    `create index notifications_queued on notifications (lane, channel, enqueued_at) where status = 'queued'`,
    `create index notifications_in_flight on notifications (created_at) where not settled`,
    `create index notifications_due on notifications (next_attempt_at) where next_attempt_at is not null`,
    `create table attempts (
         notification_id text not null,
         number smallint not null,
         id text not null,
         provider_id text,
         started_at timestamptz not null default now(),
         lease_until timestamptz not null,
         finished_at timestamptz,
         outcome text,
         ambiguous boolean not null default false,
         provider_code text,
         provider_message text,
         provider_message_id text,
         primary key (notification_id, number)
       ) with (fillfactor = 80)`,
    `create index attempts_under_way on attempts (lease_until) where finished_at is null`,
    `create table domains (
         id text primary key,
         tenant_id text not null,
         domain text not null,
         selector text not null,
         public_key text not null,
         private_key bytea not null,
         mail_from_region text,
         status text not null default 'pending' check (status in ('pending', 'verified', 'failed', 'degraded')),
         revision int not null default 1,
         record_states jsonb not null default '{}',
         verified_at timestamptz,
         last_checked_at timestamptz,
         check_started_at timestamptz,
         next_check_at timestamptz not null,
         status_since timestamptz not null default now(),
         created_at timestamptz not null default now(),
         unique (tenant_id, domain)
       )`,
    `create index domains_tenant on domains (tenant_id, id desc)`,
    `create index domains_due on domains (next_check_at)`,
    // Only one tenant may prove that it owns a domain.
    `create unique index domains_verified on domains (domain) where status = 'verified'`,
    // A row outlives its domain until the carrier has removed it too.
    `create table domain_identities (
         domain_id text not null,
         provider_id text not null,
         tenant_id text not null,
         domain text not null,
         selector text not null,
         wanted boolean not null default true,
         synced_revision int,
         synced_at timestamptz,
         failures smallint not null default 0,
         error text,
         next_try_at timestamptz,
         leased_until timestamptz,
         primary key (domain_id, provider_id)
       )`,
    `create index domain_identities_due on domain_identities (next_try_at) where next_try_at is not null`,
    `create table suppressions (
         id text not null unique,
         tenant_id text not null,
         channel text not null,
         recipient_index text not null,
         recipient_masked text not null,
         reason text not null check (reason in ('bounce', 'complaint', 'stop', 'manual')),
         source_notification_id text,
         created_at timestamptz not null default date_trunc('milliseconds', now()),
         reported_at timestamptz not null,
         lifted_at timestamptz,
         primary key (tenant_id, channel, recipient_index)
       )`,
    // Only of those that stand: a look-up of one recipient that does not ask for these cannot be led over the whole list.
    `create index suppressions_listed on suppressions (tenant_id, id) where lifted_at is null`,
    `create table templates (
         id text primary key,
         tenant_id text not null,
         application_id text,
         name text not null,
         templates jsonb not null,
         version int not null default 1,
         created_at timestamptz not null default date_trunc('milliseconds', now()),
         updated_at timestamptz not null default date_trunc('milliseconds', now())
       )`,
    `create index templates_tenant on templates (tenant_id, id)`,
    // How many were accepted and settled, as rows that are only added and later summed up: nothing waits for a counter.
    // The functions name their table's schema by themselves: an operator's session with another search path is counted too.
    `create table tallies (
         id bigint generated always as identity primary key,
         accepted bigint not null,
         settled bigint not null
       )`,
    `create function tally_accepted() returns trigger language plpgsql set search_path from current as $$
       begin
         insert into tallies (accepted, settled)
         select count(*), count(*) filter (where settled) from added having count(*) > 0;
         return null;
       end $$`,
    `create function tally_settled() returns trigger language plpgsql set search_path from current as $$
       declare change bigint;
       begin
         select (select count(*) from after where settled) - (select count(*) from before where settled) into change;
         if change <> 0 then
           insert into tallies (accepted, settled) values (0, change);
         end if;
         return null;
       end $$`,
    `create trigger tally_accepted after insert on notifications
         referencing new table as added for each statement execute function tally_accepted()`,
    `create trigger tally_settled after update on notifications
         referencing old table as before new table as after for each statement execute function tally_settled()`,
    // Every send of a limited provider moves these clocks: they are kept apart from the providers, in rows that stay small.
    `create table send_slots (
         provider_id text primary key,
         shared_ms float8 not null default 0,
         kept_ms float8 not null default 0,
         urgent_until_ms float8 not null default 0,
         bulk_until_ms float8 not null default 0
       ) with (fillfactor = 50)`,
  ],
}
