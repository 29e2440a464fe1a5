import { installForTests } from './binaries/install-for-tests.ts'
import { installFreshProjects } from './fresh-projects/install-fresh-projects.ts'
import { migratedVariable } from './migrated-database/copy-migrated.ts'
import { shareCertificates } from './test-env/shared-certificates.ts'
import { sharedPostgresVariable, startTestPostgres } from './test-env/shared-postgres.ts'
import { buildPrograms } from './test-programs/build-programs.ts'

/**
 * Installs the programs, and the modules of fresh projects, that are missing. One Postgres, one set of certificates and bundles
 * of the programs for the whole jest run; workers inherit the variables, and each TestEnv makes a database of its own.
 */
export default async function setup(): Promise<void> {
  if (process.env[sharedPostgresVariable]) return
  await installForTests()
  await installFreshProjects()
  const [postgres, certificates] = await Promise.all([startTestPostgres(), shareCertificates(), buildPrograms()])
  process.env[sharedPostgresVariable] = postgres.url
  process.env[migratedVariable] = new URL('/migrated', postgres.url).href
  const end = async () => {
    certificates.remove()
    await postgres.stop()
  }
  ;(globalThis as { notifyTestEnd?: typeof end }).notifyTestEnd = end
}
