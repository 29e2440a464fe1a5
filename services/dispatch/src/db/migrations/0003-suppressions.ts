import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table suppressions (
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
    )`.execute(db)
  // Only of those that stand: a look-up of one recipient that does not ask for these cannot be led over the whole list.
  await sql`create index suppressions_listed on suppressions (tenant_id, id) where lifted_at is null`.execute(db)
}
