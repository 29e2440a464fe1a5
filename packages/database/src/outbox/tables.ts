import type { Migrations } from '../migrations/migration.ts'

/** Tables of the outbox and of losses of its stream. */
export const outboxTables: Migrations = [
  {
    name: 'outbox-0001',
    transaction: [
      `create table outbox (
         id uuid primary key default uuidv7(),
         subject text not null,
         events text not null,
         created_at timestamptz not null default now(),
         published_at timestamptz,
         published_seq bigint,
         publications smallint not null default 0
       ) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.1)`,
      // Long JSON, written and read once: Postgres's default compression costs more than the rest of the row.
      `do $$ begin
         alter table outbox alter column events set compression lz4;
       exception when feature_not_supported then
         alter table outbox alter column events set storage external;
       end $$`,
      'create index outbox_unpublished on outbox (id) where published_at is null',
      // BRIN serves only searches for the newest: deletions leave the ends of its ranges right, and their beginnings too early.
      'create index outbox_published_at on outbox using brin (published_at) with (autosummarize = on)',
      `create table stream_watermark (
         stream text primary key,
         last_seq bigint not null,
         checked_at timestamptz not null,
         origin jsonb
       )`,
      `create table stream_losses (
         stream text primary key,
         noticed_at timestamptz not null,
         last_seq bigint not null,
         published_after timestamptz not null,
         looked_up_to uuid,
         republished int not null default 0,
         repaired_at timestamptz
       )`,
    ],
  },
]
