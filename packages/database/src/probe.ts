import pg from 'pg'

/** Asks Postgres whether it answers. */
export interface Probe {
  check(): Promise<void>
  end(): Promise<void>
}

/**
 * A probe with a connection of its own, made when it is first asked: a process that is busy is ready all the same. Probes of
 * one moment share a question.
 * @param config as of the pool
 */
export function createProbe(config: pg.PoolConfig): Probe {
  const pool = new pg.Pool({ ...config, max: 1 })
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
