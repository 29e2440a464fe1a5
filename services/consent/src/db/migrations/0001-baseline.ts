import type { Migration } from '@notify/database'

export const baseline: Migration = {
  name: '0001-baseline',
  transaction: [
    `create table consents (
         tenant_id text not null,
         mode text not null check (mode in ('live', 'test')),
         recipient_index text not null,
         status text not null default 'none' check (status in ('none', 'active', 'revoked')),
         marketing_stopped boolean not null default false,
         marketing_chosen_at timestamptz,
         agreed_at timestamptz,
         sequence int not null default 0,
         entry_id text,
         changed_at timestamptz not null default now(),
         primary key (tenant_id, mode, recipient_index)
       ) with (fillfactor = 80)`,
    `create table consent_entries (
         id text primary key,
         tenant_id text not null,
         mode text not null,
         recipient_index text not null,
         sequence int not null,
         action text not null check (action in ('opt_in', 'opt_out', 'marketing_stop', 'marketing_resume')),
         source text not null,
         status text not null,
         evidence_index text,
         origin text,
         details bytea not null,
         recorded_at timestamptz not null,
         unique (tenant_id, mode, recipient_index, sequence)
       )`,
    `create index consent_entries_listed on consent_entries (tenant_id, mode, id desc)`,
    `create unique index consent_entries_origin on consent_entries (tenant_id, mode, recipient_index, origin)
       where origin is not null`,
    `create index consent_entries_evidence on consent_entries (tenant_id, mode, recipient_index, evidence_index)
       where evidence_index is not null`,
    // Append-only: an entry may be encrypted with another key, lose the person that it is about, or have its indexes renewed.
    `create function keep_consent_entries() returns trigger language plpgsql set search_path from current as $$
       begin
         if tg_op = 'UPDATE' and (
             new.recipient_index = 'erased ' || old.id and new.evidence_index is null and new.origin is null
             or new.origin is not distinct from old.origin and exists (select from blind_index_keys where becoming is not null))
           and row(new.id, new.tenant_id, new.mode, new.sequence, new.action, new.source, new.status, new.recorded_at)
             is not distinct from row(old.id, old.tenant_id, old.mode, old.sequence, old.action, old.source, old.status, old.recorded_at)
         then
           return new;
         end if;
         raise exception 'the ledger is append-only';
       end $$`,
    `create trigger keep_consent_entries before delete or update of id, tenant_id, mode, recipient_index, sequence, action,
         source, status, evidence_index, origin, recorded_at
         on consent_entries for each row execute function keep_consent_entries()`,
    // Triggers for rows do not see a TRUNCATE.
    `create trigger keep_consent_ledger before truncate on consent_entries
       for each statement execute function keep_consent_entries()`,
    `create table erased_evidence (
         tenant_id text not null,
         mode text not null,
         recipient_index text not null,
         evidence_index text not null,
         primary key (tenant_id, mode, recipient_index, evidence_index)
       )`,
    `create table users (
         tenant_id text not null,
         user_index text not null,
         phone bytea,
         primary key (tenant_id, user_index)
       )`,
    `create table waiting_changes (
         tenant_id text not null,
         user_index text not null,
         origin text not null,
         action text not null check (action in ('opt_out', 'marketing_stop', 'marketing_resume')),
         source text not null,
         occurred_at timestamptz not null,
         primary key (tenant_id, user_index, origin)
       )`,
  ],
}
