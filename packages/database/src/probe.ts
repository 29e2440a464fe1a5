import { Unready } from '@notify/service-kit'
import pg from 'pg'
import type { Migrations } from './migrations/migration.ts'
import { type KeyRecord, readKeyRecord, requireKeys } from './reindex/key-record.ts'

/** Checks that Postgres responds, and that the schema has what the release needs. */
export interface Probe {
  /** @throws Unready naming what the schema lacks; the driver's error when Postgres does not respond */
  check(): Promise<void>
  end(): Promise<void>
}

/** Timeout of a readiness probe. */
const longestMs = 1000
const undefinedTable = '42P01'

/** What a schema must have. */
export interface Needs {
  /** More are allowed. */
  migrations: Migrations
  /** The fingerprint of the keys of its blind indexes. */
  indexKeys?: string | undefined
}

/**
 * A probe with its own connection, opened on first use, so that a busy pool does not affect readiness. Behind PgBouncer it
 * shares the connections of the role. Concurrent probes share one query.
 * @param config as of the pool
 */
export function createProbe(config: pg.PoolConfig, { migrations, indexKeys }: Needs): Probe {
  // A dead connection must not prevent the next probe from opening a new one.
  const pool = new pg.Pool({ ...config, max: 1, query_timeout: longestMs, connectionTimeoutMillis: longestMs })
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  const ask = async () => {
    const applied = await readApplied(pool)
    const missing = migrations.filter(({ name }) => !applied.has(name))
    const more = missing.length > 1 ? ` and ${missing.length - 1} more` : ''
    if (missing[0]) throw new Unready(`migration missing: ${missing[0].name}${more}`)
    if (indexKeys === undefined) return
    const { rows } = await pool.query<KeyRecord>(readKeyRecord.text)
    requireKeys(rows[0], indexKeys)
  }
  let asked: Promise<void> | undefined
  return {
    async check() {
      asked ??= ask().finally(() => {
        asked = undefined
      })
      await asked
    },
    end: () => pool.end(),
  }
}

async function readApplied(pool: pg.Pool): Promise<Set<string>> {
  try {
    const { rows } = await pool.query<{ name: string }>('select name from schema_migrations')
    return new Set(rows.map(({ name }) => name))
  } catch (error) {
    if ((error as { code?: string }).code === undefinedTable) return new Set()
    throw error
  }
}
