import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table providers
      alter column account_id drop not null,
      alter column credentials drop not null,
      add column sender text,
      add column topic_arns text[] not null default '{}'`.execute(db)
}
