import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table notifications
      add column failovers smallint not null default 0,
      add column held_since timestamptz`.execute(db)
  await sql`
    alter table providers
      add column rate_limit_per_second int check (rate_limit_per_second between 1 and 10000)`.execute(db)
  // Every send of a limited provider moves these clocks: they are kept apart from the providers, in rows that stay small.
  await sql`
    create table send_slots (
      provider_id text primary key,
      shared_ms float8 not null default 0,
      kept_ms float8 not null default 0,
      urgent_until_ms float8 not null default 0,
      bulk_until_ms float8 not null default 0
    ) with (fillfactor = 50)`.execute(db)
  // What was lost is looked for lane by lane: the queue of one must not be walked through to find that of another.
  await sql`drop index notifications_queued`.execute(db)
  await sql`
    create index notifications_queued on notifications (lane, channel, enqueued_at) where status = 'queued'`.execute(db)
}
