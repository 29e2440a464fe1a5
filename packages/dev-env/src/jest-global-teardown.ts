import type { TestPostgres } from './test-env/shared-postgres.ts'

/** Ends what jest-global-setup.ts started. */
export default async function teardown(): Promise<void> {
  await (globalThis as { notifyTestPostgres?: TestPostgres }).notifyTestPostgres?.stop()
}
