/** Tenants, their operators, applications and API keys. */
export const callerTables = [
  `create table tenants (
     id text primary key,
     name text not null,
     rate_limit_per_second int,
     created_at timestamptz not null default now(),
     -- A tenant that moved to another cell stays, so that its keys are answered with the new address.
     moved_to text,
     moved_at timestamptz,
     -- Not served until it has arrived.
     arriving boolean not null default false
   )`,
  `create table operators (
     tenant_id text not null references tenants,
     id text not null,
     profile bytea not null,
     seen_at timestamptz not null default now(),
     primary key (tenant_id, id)
   )`,
  `create table applications (
     id text primary key,
     tenant_id text not null references tenants,
     name text not null,
     allowed_origins text[] not null default '{}',
     otp jsonb not null default '{}',
     -- Of messages whose request names none.
     default_locale text,
     default_time_zone text,
     bulk_requires_topic boolean not null default false,
     brand jsonb not null default '{}',
     revision int not null default 1,
     managed boolean not null default false,
     created_at timestamptz not null default now(),
     updated_at timestamptz not null default now(),
     deleted_at timestamptz
   )`,
  'create index applications_by_tenant on applications (tenant_id, id desc)',
  `create table api_keys (
     id text primary key,
     tenant_id text not null references tenants,
     application_id text not null references applications,
     name text not null,
     mode text not null check (mode in ('live', 'test')),
     permissions text[] not null,
     sha256 text not null,
     rate_limit_per_second int,
     predecessor_id text,
     managed boolean not null default false,
     created_at timestamptz not null default now(),
     updated_at timestamptz not null default now(),
     expires_at timestamptz,
     revoked_at timestamptz
   )`,
  'create index api_keys_by_application on api_keys (application_id, id desc)',
]
