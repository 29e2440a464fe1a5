import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table notifications add column sealed_metadata bytea`.execute(db)
}
