import type { ServiceName } from '@notify/contracts'
import { type Database, type Migrations, openDatabase } from '@notify/database'
import type { TestEnv } from '@notify/dev-env'
import { createTestKit, type TestKit } from './service-kit.ts'

/** The schema of one service, without its processes. */
export interface OwnSchema<Tables> {
  db: Database<Tables>
  kit: TestKit
  stop(): Promise<void>
}

/** Migrates and opens the schema of a service, for tests of its statements alone. */
export async function openOwnSchema<Tables>(
  env: TestEnv,
  service: ServiceName,
  { migrations, poolSize = 8 }: { migrations: Migrations; poolSize?: number },
): Promise<OwnSchema<Tables>> {
  const kit = createTestKit(service)
  const config = { DATABASE_URL: env.stack.databaseUrl(service), DATABASE_POOL_SIZE: poolSize, MIGRATE_ON_START: true }
  const db = await openDatabase<Tables>(kit, { config, migrations })
  return { db, kit, stop: () => kit.stop() }
}
