import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table templates (
      id text primary key,
      tenant_id text not null,
      application_id text,
      name text not null,
      templates jsonb not null,
      version int not null default 1,
      created_at timestamptz not null default date_trunc('milliseconds', now()),
      updated_at timestamptz not null default date_trunc('milliseconds', now())
    )`.execute(db)
  await sql`create index templates_tenant on templates (tenant_id, id)`.execute(db)
}
