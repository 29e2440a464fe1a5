import { createTestKit } from '@notify/test-kit/service-kit'
import { type Database, openDatabase } from '../../../packages/database/src/index.ts'
import type { TestEnv } from '../../../packages/dev-env/src/index.ts'
import { migrations } from '../src/db/migrations.ts'
import type { Tables } from '../src/db/schema.ts'

/** The schema of webhook-delivery with all its tables, for tests of its statements alone. */
export async function openOwnSchema(
  env: TestEnv,
  { poolSize = 8 } = {},
): Promise<{ db: Database<Tables>; stop(): Promise<void> }> {
  const kit = createTestKit('webhook-delivery')
  const config = {
    DATABASE_URL: env.stack.databaseUrl('webhook-delivery'),
    DATABASE_POOL_SIZE: poolSize,
    MIGRATE_ON_START: true,
  }
  const db = await openDatabase<Tables>(kit, { config, migrations })
  return { db, stop: () => kit.stop() }
}
