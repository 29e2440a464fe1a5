import type { TestEnv } from '@notify/dev-env'
import { type OpenSchema, openSchema, type SchemaOptions } from '@notify/test-kit/database'
import { createTestKit } from '@notify/test-kit/kit'
import { migrate } from '../src/migrations/migrate.ts'
import type { Migrations } from '../src/migrations/migration.ts'
import { createBuilder } from '../src/query.ts'

/** Builds queries over the table that the tests write to. */
export const build = createBuilder<{ things: { id: number; name: string } }>()

/** One process of a service, with its pool. */
export type Process = OpenSchema
export const startProcess = (env: TestEnv, options: SchemaOptions = {}): Promise<Process> =>
  openSchema(env, 'consent', { poolSize: 4, ...options })

/** Creates shared tables in the schema of the tests. */
export async function makeTables(env: TestEnv, migrations: Migrations): Promise<void> {
  const kit = createTestKit('consent')
  await migrate(kit, { config: { DATABASE_URL: env.stack.databaseUrl('consent') }, schema: 'consent', migrations })
}
