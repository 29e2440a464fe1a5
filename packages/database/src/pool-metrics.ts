import type { Metrics } from '@notify/service-kit'

interface Counted {
  totalCount: number
  idleCount: number
  waitingCount: number
}

/** Gauges for connections in use and callers waiting. */
export function measurePool(metrics: Metrics, pool: Counted): void {
  metrics.gauge('database_connections_in_use', 'Postgres connections of the pool that are in use', () =>
    Math.max(0, pool.totalCount - pool.idleCount),
  )
  metrics.gauge('database_connections_awaited', 'Callers that wait for a Postgres connection', () => pool.waitingCount)
}
