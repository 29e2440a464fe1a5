import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { machineEnvironment } from '../stack/machine-environment.ts'

/** Environment variable with the URL of a database, on the server that the tests of a run share, that has the tables of all services. */
export const migratedVariable = 'NOTIFY_TEST_MIGRATED_URL'

/** Postgres: there is no such database. */
const unknownDatabase = '3D000'

/** Postgres logs each page of a copy by default, which costs two to six times as much CPU time. */
const byFiles = 'strategy file_copy'

/** Creates an empty database. @param adminUrl the server's superuser */
export async function createEmpty(adminUrl: string, name: string): Promise<void> {
  await asSuperuser(adminUrl, (run) => run(`create database ${name} template template0 ${byFiles}`))
}

/**
 * Creates a database that has the tables of all services, by copying: migrating costs ten times as much.
 * @param adminUrl the server's superuser
 * @returns false when nothing was created: outside a run of jest, or for a server of a test's own
 */
export async function copyMigrated(adminUrl: string, name: string): Promise<boolean> {
  const migrated = process.env[migratedVariable]
  if (!migrated || new URL(migrated).host !== new URL(adminUrl).host) return false
  const template = new URL(migrated).pathname.slice(1)
  await asSuperuser(adminUrl, async (run) => {
    const copy = () => run(`create database ${name} template ${template} ${byFiles}`)
    await copy().catch(async (error: { code?: string }) => {
      if (error.code !== unknownDatabase) throw error
      await makeMigrated(migrated)
      await copy()
    })
  })
  return true
}

async function asSuperuser(
  adminUrl: string,
  work: (run: (statement: string) => Promise<unknown>) => Promise<unknown>,
): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl })
  client.on('error', () => {})
  await client.connect()
  try {
    await work((statement) => client.query(statement))
  } finally {
    await client.end()
  }
}

/** In a process of its own: tests need not load the migrations of services. */
async function makeMigrated(url: string): Promise<void> {
  const main = join(import.meta.dirname, 'main.ts')
  await promisify(execFile)(process.execPath, [main], { env: { ...machineEnvironment(), [migratedVariable]: url } })
}
