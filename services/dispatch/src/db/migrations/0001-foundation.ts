import { createDeadLetterTable, createIdempotencyTable, createOutboxTables } from '@notify/database'
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await createOutboxTables(db)
  await createDeadLetterTable(db)
  await createIdempotencyTable(db)
  await sql`
    create table events (
      tenant_id text not null,
      application_id text not null,
      event_key text not null,
      name text not null,
      status text not null check (status in ('draft', 'published', 'inactive')),
      version int not null,
      allowed_channels text[] not null,
      templates jsonb not null,
      updated_at timestamptz not null default now(),
      primary key (application_id, event_key)
    )`.execute(db)
  await sql`
    create table providers (
      id text primary key,
      tenant_id text not null,
      application_id text,
      channel text not null,
      kind text not null,
      name text not null,
      priority int not null,
      revision int not null default 1,
      credentials bytea not null,
      updated_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index providers_tenant on providers (tenant_id, channel, priority)`.execute(db)
  // A notification is updated a few times soon after it is made: room in its page keeps those updates off the indexes.
  await sql`
    create table notifications (
      id text primary key,
      tenant_id text not null,
      application_id text not null,
      channel text not null,
      lane text not null,
      mode text not null,
      event_key text,
      status text not null default 'queued',
      revision int not null default 1,
      recipient_masked text not null,
      recipient_index text not null,
      payload bytea,
      metadata jsonb,
      credits smallint not null,
      failure_reason text,
      retryable boolean not null default false,
      retry_count smallint not null default 0,
      attempt_count smallint not null default 0,
      round_attempts smallint not null default 0,
      sending boolean not null default false,
      next_attempt_at timestamptz,
      when_due text not null default 'send' check (when_due in ('send', 'give_up')),
      enqueued_at timestamptz not null default now(),
      traceparent text,
      created_at timestamptz not null default date_trunc('milliseconds', now()),
      updated_at timestamptz not null default now()
    ) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05)`.execute(db)
  await sql`create index notifications_queued on notifications (enqueued_at) where status = 'queued'`.execute(db)
  await sql`create index notifications_due on notifications (next_attempt_at) where next_attempt_at is not null`.execute(
    db,
  )
  await sql`
    create table attempts (
      notification_id text not null,
      number smallint not null,
      id text not null,
      provider_id text,
      started_at timestamptz not null default now(),
      lease_until timestamptz not null,
      finished_at timestamptz,
      outcome text,
      ambiguous boolean not null default false,
      provider_code text,
      provider_message text,
      provider_message_id text,
      primary key (notification_id, number)
    ) with (fillfactor = 80)`.execute(db)
  await sql`create index attempts_under_way on attempts (lease_until) where finished_at is null`.execute(db)
}
