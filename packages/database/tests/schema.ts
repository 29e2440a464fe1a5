import type { TestEnv } from '@notify/dev-env'
import { createTestKit, type TestKit } from '@notify/test-kit/kit'
import { migrate } from '../src/migrations/migrate.ts'
import type { Migrations } from '../src/migrations/migration.ts'
import { openDatabase, type Queries } from '../src/open.ts'
import { createBuilder } from '../src/query.ts'

/** Builds queries over the table that the tests write to. */
export const build = createBuilder<{ things: { id: number; name: string } }>()

export interface Process {
  kit: TestKit
  db: Queries
}

/** One process of a service, with its pool. */
export async function startProcess(
  env: TestEnv,
  { url = env.stack.databaseUrl('consent'), poolSize = 4 } = {},
): Promise<Process> {
  const kit = createTestKit('consent')
  const db = await openDatabase(kit, { config: { DATABASE_URL: url, DATABASE_POOL_SIZE: poolSize } })
  return { kit, db }
}

/** Makes shared tables in the schema of the tests. */
export async function makeTables(env: TestEnv, migrations: Migrations): Promise<void> {
  const kit = createTestKit('consent')
  await migrate(kit, { config: { DATABASE_URL: env.stack.databaseUrl('consent') }, schema: 'consent', migrations })
}
