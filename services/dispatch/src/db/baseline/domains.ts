/** Sending domains, and their identities at carriers. */
export const domainTables = [
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
  `create index domains_due on domains (tenant_id, next_check_at)`,
  // Only one tenant can prove that it owns a domain.
  `create unique index domains_verified on domains (domain) where status = 'verified'`,
  // A row stays after its domain is deleted, until the carrier has removed the identity.
  `create table domain_identities (
     domain_id text not null,
     provider_id text not null,
     tenant_id text not null,
     domain text not null,
     selector text not null,
     created_at timestamptz,
     wanted boolean not null default true,
     -- The carrier's report on the domain; unmanaged until the carrier is asked.
     status text not null default 'unmanaged',
     records jsonb not null default '[]',
     reference text,
     is_ours boolean not null default true,
     synced_revision int,
     synced_at timestamptz,
     failures smallint not null default 0,
     error text,
     next_try_at timestamptz,
     leased_until timestamptz,
     primary key (domain_id, provider_id)
   )`,
  `create index domain_identities_due on domain_identities (tenant_id, next_try_at) where next_try_at is not null`,
  `create index domain_identities_named on domain_identities (domain) where reference is not null`,
]
