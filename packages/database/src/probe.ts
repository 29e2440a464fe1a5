import pg from 'pg'

/** Asks Postgres whether it answers. */
export interface Probe {
  check(): Promise<void>
  end(): Promise<void>
}

/** As long as a probe of readiness waits. */
const longestMs = 1000

/**
 * A probe with a connection of its own, made when it is first asked: a process that is busy is ready all the same. Probes of
 * one moment share a question.
 * @param config as of the pool
 */
export function createProbe(config: pg.PoolConfig): Probe {
  // A connection that swallows what is sent must not keep the next probe from a new one.
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
