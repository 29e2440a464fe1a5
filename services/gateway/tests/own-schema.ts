import { createTestKit } from '@notify/test-kit/service-kit'
import { type Database, type Migrations, openDatabase } from '../../../packages/database/src/index.ts'
import type { TestEnv } from '../../../packages/dev-env/src/index.ts'
import { migrations as all } from '../src/db/migrations.ts'
import type { Tables } from '../src/db/schema.ts'

/** The schema of the gateway, for tests of its statements alone. */
export async function openOwnSchema(
  env: TestEnv,
  { poolSize = 8, migrations = all }: { poolSize?: number; migrations?: Migrations } = {},
): Promise<{ db: Database<Tables>; stop(): Promise<void> }> {
  const kit = createTestKit('gateway')
  const config = {
    DATABASE_URL: env.stack.databaseUrl('gateway'),
    DATABASE_POOL_SIZE: poolSize,
    MIGRATE_ON_START: true,
  }
  const db = await openDatabase<Tables>(kit, { config, migrations })
  return { db, stop: () => kit.stop() }
}
