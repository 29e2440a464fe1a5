import { createDeadLetterTable, createOutboxTables } from '@notify/database'
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await createOutboxTables(db)
  await createDeadLetterTable(db)
  await sql`
    create table providers (
      id text primary key,
      tenant_id text not null,
      kind text not null,
      revision int not null,
      account_id text not null,
      credentials bytea not null,
      updated_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index providers_account on providers (kind, account_id)`.execute(db)
  await sql`
    create table received_callbacks (
      provider_id text not null,
      provider_message_id text not null,
      status text not null,
      received_at timestamptz not null default now(),
      primary key (provider_message_id, status, provider_id)
    )`.execute(db)
  await sql`create index received_callbacks_received_at on received_callbacks using brin (received_at)`.execute(db)
}
