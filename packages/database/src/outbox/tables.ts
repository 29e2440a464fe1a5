import { type Kysely, sql } from 'kysely'

/** Tables of the outbox, for a service's migrations. */
export async function createOutboxTables(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table outbox (
      id uuid primary key default uuidv7(),
      subject text not null,
      events text not null,
      created_at timestamptz not null default now(),
      published_at timestamptz,
      published_seq bigint,
      publications smallint not null default 0
    ) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.1)`.execute(db)
  // Long JSON, written once and read once: Postgres' own compression would cost more than all the rest of the row.
  await sql`
    do $$ begin
      alter table outbox alter column events set compression lz4;
    exception when feature_not_supported then
      alter table outbox alter column events set storage external;
    end $$`.execute(db)
  await sql`create index outbox_unpublished on outbox (id) where published_at is null`.execute(db)
  await sql`create index outbox_published_at on outbox using brin (published_at)`.execute(db)
  await sql`
    create table stream_watermark (
      stream text primary key,
      last_seq bigint not null,
      checked_at timestamptz not null
    )`.execute(db)
}

/** Table of what a stream has forgotten, and how far it was made up for; for a service's migrations. */
export async function createStreamLossTable(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table stream_losses (
      stream text primary key,
      noticed_at timestamptz not null,
      last_seq bigint not null,
      published_after timestamptz not null,
      looked_up_to uuid,
      republished int not null default 0,
      made_up_at timestamptz
    )`.execute(db)
}

/** Table of the events that were given up, for a service's migrations. */
export async function createDeadLetterTable(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table dead_letters (
      durable text not null,
      event_id text not null,
      subject text not null,
      event text not null,
      reason text not null,
      created_at timestamptz not null default now(),
      primary key (durable, event_id)
    )`.execute(db)
}
