import type { TestEnv } from '@notify/dev-env'
import { createTestKit, type TestKit } from '@notify/test-kit/kit'
import { migrate } from '../src/migrations/migrate.ts'
import type { Migrations } from '../src/migrations/migration.ts'
import { type Database, openDatabase } from '../src/open.ts'

/** The table that the tests write to. */
interface Tables {
  things: { id: number; name: string }
}

export interface Process {
  kit: TestKit
  db: Database<Tables>
}

/** One process of a service, with its pool. */
export async function startProcess(
  env: TestEnv,
  { url = env.stack.databaseUrl('consent'), poolSize = 4 } = {},
): Promise<Process> {
  const kit = createTestKit('consent')
  const db = await openDatabase<Tables>(kit, { config: { DATABASE_URL: url, DATABASE_POOL_SIZE: poolSize } })
  return { kit, db }
}

/** Makes shared tables in the schema of the tests. */
export async function makeTables(env: TestEnv, migrations: Migrations): Promise<void> {
  const kit = createTestKit('consent')
  await migrate(kit, { config: { DATABASE_URL: env.stack.databaseUrl('consent') }, schema: 'consent', migrations })
}
