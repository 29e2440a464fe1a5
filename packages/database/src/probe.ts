import pg from 'pg'

/** Checks that Postgres responds. */
export interface Probe {
  check(): Promise<void>
  end(): Promise<void>
}

/** Timeout of a readiness probe. */
const longestMs = 1000

/**
 * A probe with its own connection, opened on first use, so that a busy pool does not affect readiness. Concurrent
 * probes share one query.
 * @param config as of the pool
 */
export function createProbe(config: pg.PoolConfig): Probe {
  // A dead connection must not keep the next probe from a new one.
  const pool = new pg.Pool({ ...config, max: 1, query_timeout: longestMs, connectionTimeoutMillis: longestMs })
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  let asked: Promise<unknown> | undefined
  return {
    async check() {
      asked ??= pool.query('select 1').finally(() => {
        asked = undefined
      })
      await asked
    },
    end: () => pool.end(),
  }
}
