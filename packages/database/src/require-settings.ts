import type { Logger } from '@notify/service-kit'
import type { Queries } from './open.ts'
import { sessionSettings } from './session-settings.ts'

/**
 * Compares the session with the settings stored with the role. A wrong schema is fatal; other differences may be an
 * operator's choice or an older provisioning, and are logged.
 * @throws Error naming the role and the schema
 */
export async function requireSettings(
  { run }: Pick<Queries, 'run'>,
  schema: string,
  log: Pick<Logger, 'warn'>,
): Promise<void> {
  const wanted = Object.entries(sessionSettings(schema))
  // `sessionSettings` uses the spelling that Postgres returns.
  const rows = await run<{ name: string; value: string }>(
    `select name, current_setting(name) as value from unnest($1::text[]) as t (name)`,
    [wanted.map(([name]) => name)],
  )
  const found = new Map(rows.map(({ name, value }) => [name, value]))
  if (found.get('search_path') !== schema) {
    throw new Error(
      `the role of DATABASE_URL has the search_path ${found.get('search_path')} instead of ${schema}: provision the database (packages/database/src/provision-main.ts)`,
    )
  }
  const different = wanted.filter(([name, value]) => found.get(name) !== value).map(([name]) => name)
  if (different.length > 0) {
    log.warn({ settings: different }, "the role's settings differ from this release: provision the database again")
  }
}
