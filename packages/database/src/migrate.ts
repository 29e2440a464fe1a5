import type { Logger } from '@notify/service-kit'
import type { Kysely } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'

/** A service's migrations by name; the order of the names is the order of the steps. */
export type Migrations = Readonly<Record<string, Migration>>

/**
 * Brings the schema up to date, one process at a time.
 * @throws Error naming the step that failed; the steps before it stay done
 */
export async function migrate(
  db: { kysely: unknown },
  schema: string,
  migrations: Migrations,
  log: Logger,
): Promise<void> {
  const migrator = new Migrator({
    db: db.kysely as Kysely<unknown>,
    provider: { getMigrations: async () => ({ ...migrations }) },
    migrationTableSchema: schema,
  })
  const { error, results = [] } = await migrator.migrateToLatest()
  for (const { migrationName, status } of results) {
    if (status === 'Success') log.info({ migration: migrationName }, 'schema migrated')
  }
  if (error) {
    const failed = results.find(({ status }) => status === 'Error')?.migrationName ?? 'the first'
    throw new Error(`migration ${failed} of schema ${schema} failed: ${(error as Error).message}`, { cause: error })
  }
}
