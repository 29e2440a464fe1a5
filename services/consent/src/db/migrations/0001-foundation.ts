import type { Migration } from '@notify/database'

export const foundation: Migration = {
  name: '0001-foundation',
  transaction: [
    `create table consents (
         tenant_id text not null,
         mode text not null check (mode in ('live', 'test')),
         recipient_index text not null,
         status text not null default 'none' check (status in ('none', 'active', 'revoked')),
         marketing_stopped boolean not null default false,
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
    // Whoever has the role of this service cannot rewrite what was recorded, but for the key that encrypts it.
    `create function keep_consent_entries() returns trigger language plpgsql as $$
       begin
         raise exception 'the ledger is append-only';
       end $$`,
    `create trigger keep_consent_entries before delete or update of id, tenant_id, mode, recipient_index, sequence, action,
         source, status, evidence_index, origin, recorded_at
         on consent_entries for each row execute function keep_consent_entries()`,
  ],
}
