/** Accounts at carriers, their rates and their templates. */
export const providerTables = [
  `create table providers (
     id text primary key,
     tenant_id text not null,
     application_id text,
     subscription_id text,
     channel text not null,
     kind text not null,
     name text not null,
     priority int not null,
     -- Providers of equal priority share the messages by weight.
     weight int not null default 100,
     rate_limit_per_second int check (rate_limit_per_second between 1 and 10000),
     revision int not null default 1,
     account_id text,
     keeps_domains boolean not null default true,
     credentials bytea not null,
     credentials_updated_at timestamptz not null default now(),
     updated_by text,
     created_at timestamptz not null default now(),
     updated_at timestamptz not null default now(),
     deleted_at timestamptz,
     purged_at timestamptz
   )`,
  `create index providers_tenant on providers (tenant_id, channel, priority)`,
  // Deleted ones stay: the schedulers look for the others, and for those whose credentials are to be erased.
  `create index providers_kind on providers (kind) where deleted_at is null`,
  `create index providers_deleted on providers (deleted_at) where deleted_at is not null and purged_at is null`,
  `create index providers_account on providers (kind, account_id) where account_id is not null`,
  // Every send of a provider with a rate limit updates its row: apart from `providers`, so that the rows stay small.
  `create table send_slots (
     provider_id text primary key,
     shared_ms float8 not null default 0,
     kept_ms float8 not null default 0,
     urgent_until_ms float8 not null default 0,
     bulk_until_ms float8 not null default 0
   ) with (fillfactor = 50)`,
  `create table carrier_templates (
     provider_id text not null,
     tenant_id text not null,
     name text not null,
     language text not null,
     status text not null,
     category text not null,
     quality text,
     content jsonb,
     reported_at timestamptz not null,
     primary key (provider_id, name, language)
   )`,
  `create index carrier_templates_tenant on carrier_templates (tenant_id, provider_id, name, language)`,
  `create table carrier_template_syncs (
     provider_id text primary key,
     tenant_id text not null,
     revision int not null,
     next_sync_at timestamptz,
     synced_at timestamptz,
     failures smallint not null default 0,
     error text
   )`,
  `create index carrier_template_syncs_due on carrier_template_syncs (tenant_id, next_sync_at)`,
]
