import { type Kysely, sql } from 'kysely'

/** Table of the answers that a repeated request gets again, for a service's migrations. */
export async function createIdempotencyTable(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table idempotency_keys (
      scope text not null,
      key text not null,
      fingerprint text not null,
      status smallint not null,
      response text not null,
      expires_at timestamptz not null default now() + interval '24 hours',
      primary key (scope, key)
    )`.execute(db)
  await sql`create index idempotency_keys_expires_at on idempotency_keys (expires_at)`.execute(db)
}
