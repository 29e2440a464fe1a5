/** Events, templates and suppressions. `events` has what is sent, and in `draft` what an operator prepares. */
export const catalogueTables = [
  `create table events (
     tenant_id text not null,
     application_id text not null,
     event_key text not null,
     name text not null,
     status text not null check (status in ('draft', 'published', 'inactive')),
     version int not null,
     allowed_channels text[] not null,
     templates jsonb not null,
     translations jsonb,
     -- What each translation was made from.
     translation_bases jsonb,
     topic text,
     digest jsonb,
     draft jsonb,
     updated_by text,
     created_at timestamptz not null default now(),
     updated_at timestamptz not null default now(),
     primary key (application_id, event_key)
   )`,
  'create index events_by_key on events (tenant_id, event_key)',
  // Few: the topics of an application are read each second.
  `create index events_with_digests on events (application_id)
     where status = 'published' and topic is not null and digest is not null`,
  `create table event_versions (
     tenant_id text not null,
     application_id text not null,
     event_key text not null,
     version int not null,
     name text not null,
     allowed_channels text[] not null,
     templates jsonb not null,
     translations jsonb,
     translation_bases jsonb,
     topic text,
     digest jsonb,
     published_by text,
     published_at timestamptz not null default now(),
     primary key (application_id, event_key, version)
   )`,
  // A published version never changes. One of the bootstrap document, which nobody has published, follows that document.
  `create function keep_event_versions() returns trigger language plpgsql as $$
     begin
       if tg_op = 'UPDATE' and old.published_by is null
         and row(new.tenant_id, new.application_id, new.event_key, new.version, new.published_by, new.published_at)
           is not distinct from row(old.tenant_id, old.application_id, old.event_key, old.version, null, old.published_at)
       then
         return new;
       end if;
       raise exception 'versions of events are append-only' using errcode = 'insufficient_privilege';
     end $$`,
  `create trigger keep_event_versions before update or delete on event_versions
     for each row execute function keep_event_versions()`,
  // Triggers for rows do not see a TRUNCATE.
  `create trigger keep_all_event_versions before truncate on event_versions
     for each statement execute function keep_event_versions()`,
  `create table templates (
     id text primary key,
     tenant_id text not null,
     application_id text,
     name text not null,
     templates jsonb not null,
     translations jsonb,
     translation_bases jsonb,
     version int not null default 1,
     created_at timestamptz not null default date_trunc('milliseconds', now()),
     updated_at timestamptz not null default date_trunc('milliseconds', now())
   )`,
  `create index templates_tenant on templates (tenant_id, id)`,
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
     occurred_at timestamptz not null,
     lifted_at timestamptz,
     primary key (tenant_id, channel, recipient_index)
   )`,
  // Partial, so that the planner cannot read the whole list for a lookup of one recipient, which does not ask for `lifted_at`.
  `create index suppressions_listed on suppressions (tenant_id, id) where lifted_at is null`,
  // Suppressions are written rarely: each combination of filters of the list has its index.
  `create index suppressions_of_channel on suppressions (tenant_id, channel, id) where lifted_at is null`,
  `create index suppressions_of_reason on suppressions (tenant_id, reason, id) where lifted_at is null`,
  `create index suppressions_of_kind on suppressions (tenant_id, channel, reason, id) where lifted_at is null`,
]
