import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // A constant default is kept in the catalogue: no row is written.
  await sql`alter table activity add column mode text not null default 'live'`.execute(db)
}
