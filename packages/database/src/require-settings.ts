import { type ServiceName, schemaOf } from '@notify/contracts'
import type { Logger } from '@notify/service-kit'
import { column } from './columns.ts'
import type { Queries } from './queries.ts'
import { sessionSettings } from './session-settings.ts'
import { defineStatement } from './statement.ts'

const readSettings = defineStatement({
  name: 'read-settings',
  isPrepared: false,
  text: 'select name, current_setting(name) as value from pg_settings where name = any($1::text[])',
  columns: { name: column.text(), value: column.text() },
})

/**
 * Compares the session with the settings stored with the role. A wrong schema is fatal; other differences may be an
 * operator's choice or an older provisioning, and are logged.
 * @throws Error naming the role and the schema
 */
export async function requireSettings(
  { run }: Pick<Queries, 'run'>,
  service: ServiceName,
  log: Pick<Logger, 'warn'>,
): Promise<void> {
  const schema = schemaOf(service)
  const wanted = Object.entries(sessionSettings(service))
  // Values are compared as Postgres shows them, which is how they are written in `sessionSettings`.
  const rows = await run(readSettings, [wanted.map(([name]) => name)])
  const found = new Map(rows.map(({ name, value }) => [name, value]))
  const path = found.get('search_path')
  if (path !== schema) {
    throw new Error(
      `the role of DATABASE_URL looks for its tables in ${path}, not in ${schema}: provision the database (the image provision, or packages/database/src/provision-main.ts)`,
    )
  }
  const different = wanted.filter(([name, value]) => found.get(name) !== value).map(([name]) => name)
  if (different.length > 0) {
    log.warn({ settings: different }, "the role's settings differ from this release: provision the database again")
  }
}
