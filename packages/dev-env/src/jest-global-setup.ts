import { sharedPostgresVariable, startTestPostgres, type TestPostgres } from './test-env/shared-postgres.ts'

/** One Postgres for the whole jest run; workers inherit the variable, and each TestEnv makes a database of its own in it. */
export default async function setup(): Promise<void> {
  if (process.env[sharedPostgresVariable]) return
  const postgres = await startTestPostgres()
  process.env[sharedPostgresVariable] = postgres.url
  ;(globalThis as { notifyTestPostgres?: TestPostgres }).notifyTestPostgres = postgres
}
