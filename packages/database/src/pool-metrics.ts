import type { Metrics } from '@notify/service-kit'

interface Counted {
  totalCount: number
  idleCount: number
  waitingCount: number
}

/** Tells how many connections are in use, and how many callers wait for one. */
export function measurePool(metrics: Metrics, pool: Counted): void {
  metrics.gauge('database_connections_in_use', 'Postgres connections of the pool that are in use', () =>
    Math.max(0, pool.totalCount - pool.idleCount),
  )
  metrics.gauge('database_connections_awaited', 'Callers that wait for a Postgres connection', () => pool.waitingCount)
}
