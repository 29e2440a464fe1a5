import type { Logger } from '@notify/service-kit'
import type { Queries } from './open.ts'
import { sessionSettings } from './session-settings.ts'

/**
 * Compares the session with what the provisioning stores with the role. Without its schema nothing works; another value of
 * anything else may be an operator's choice, or a database that was provisioned by an earlier release, and is logged.
 * @throws Error naming the role and the schema
 */
export async function requireSettings(
  { run }: Pick<Queries, 'run'>,
  schema: string,
  log: Pick<Logger, 'warn'>,
): Promise<void> {
  const wanted = Object.entries(sessionSettings(schema))
  // Values are compared as Postgres shows them, which is how they are written in `sessionSettings`.
  const rows = await run<{ name: string; value: string }>(
    `select name, current_setting(name) as value from unnest($1::text[]) as t (name)`,
    [wanted.map(([name]) => name)],
  )
  const found = new Map(rows.map(({ name, value }) => [name, value]))
  if (found.get('search_path') !== schema) {
    throw new Error(
      `the role of DATABASE_URL looks for its tables in ${found.get('search_path')}, not in ${schema}: provision the database (packages/database/src/provision-main.ts)`,
    )
  }
  const different = wanted.filter(([name, value]) => found.get(name) !== value).map(([name]) => name)
  if (different.length > 0) {
    log.warn({ settings: different }, "the role's settings are not those of this release: provision the database again")
  }
}
